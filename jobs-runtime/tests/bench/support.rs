//! Jobs that the tests of this folder share.

use jobs_runtime::prelude::*;
use std::time::Duration;

pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

#[derive(Serialize, Deserialize)]
pub(crate) struct Signup {
    pub(crate) user_id: u64,
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "bench-answered", key = u64)]
pub(crate) struct Answered {
    pub(crate) stars: u8,
}

/// Sleeps, waits for an answer, and counts its stars.
#[job(
    name = "bench-survey",
    idempotency = "survey:{input.user_id}",
    attempts = 2,
    backoff = "1m"
)]
pub(crate) async fn survey(input: Signup) -> Result<u8> {
    step!("cool-off", sleep = "3d").await;
    let answer = step!(
        "answer",
        event = Answered,
        key = input.user_id,
        timeout = "14d"
    )
    .await?;
    match answer {
        Some(answer) if answer.stars > 5 => Err(Failure::msg("more stars than there are")),
        Some(answer) => Ok(answer.stars),
        None => Ok(0),
    }
}

/// Fails as often as its input says.
#[job(
    name = "bench-flaky",
    idempotency = "flaky:{input}",
    attempts = 3,
    backoff = "1h"
)]
pub(crate) async fn flaky(input: u32, job: JobContext) -> Result<u32> {
    if job.attempt() <= input {
        return Err(Failure::msg("the line was busy"));
    }
    Ok(job.attempt())
}
