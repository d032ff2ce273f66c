//! The jobs of the workload: one script, played under each set of options that changes what a
//! store or a worker does.

#![allow(
    unsafe_code,
    reason = "what a definition leaves for the linker; in another crate the macro answers for it"
)]

use super::body::{play, work};
use super::script::{CROWD_KEYS, JOB_KEYS, Script};
use crate::job;
use crate::prelude::*;
use crate::torture::check::{Limit, LimitOf};

/// Nothing special.
#[job(name = "torture-plain", idempotency = none, attempts = 4, backoff = "100ms..2s")]
pub(crate) async fn torture_plain(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// A key that dedupes, and next runs.
#[job(
    name = "torture-keyed",
    idempotency = "keyed:{input.key}",
    attempts = 3,
    backoff = "100ms..2s"
)]
pub(crate) async fn torture_keyed(input: Script, job: JobContext) -> Result<u64> {
    let sum = step!("play", steps = play(&input, &job)).await?;
    if input.pages > 0 {
        match job.continue_as(torture_keyed(input.next_page())).await? {}
    }
    Ok(sum)
}

/// A key whose second job is refused.
#[job(
    name = "torture-strict",
    idempotency = "strict:{input.key}",
    on_conflict = error,
    attempts = 2,
    backoff = "1s"
)]
pub(crate) async fn torture_strict(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// A key whose newest input wins.
#[job(
    name = "torture-newest",
    idempotency = "newest:{input.key}",
    on_conflict = replace,
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_newest(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// A key that is kept beyond the end of its job.
#[job(
    name = "torture-kept",
    idempotency = "kept:{input.key}",
    unique_for = "10s",
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_kept(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// How many of `torture_limited` may run at once, of each key.
const LIMITED_AT_ONCE: usize = 2;

/// A limit for each key: as many at once as [`LIMITED_AT_ONCE`] says.
#[job(
    name = "torture-limited",
    idempotency = none,
    limit = (key = "{input.key}", concurrency = 2, rate = "20/s"),
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_limited(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// How many of `torture_crowded` may run at once, of each key.
const CROWDED_AT_ONCE: usize = 5;

/// Many jobs of few keys, which fill their limits.
#[job(
    name = "torture-crowded",
    idempotency = none,
    limit = (key = "crowd:{input.key}", concurrency = 5),
    attempts = 12,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_crowded(input: Script, job: JobContext) -> Result<u64> {
    // Short, so that what a trial does is to begin and to end leases.
    let millis = 200 + input.seed % 800;
    let first = step!("first", work(&job, "first", millis, input.seed)).await?;
    step!("rest", sleep = "1500ms").await;
    Ok(step!("last", work(&job, "last", millis, first)).await?)
}

/// What the limits of this workload promise.
#[must_use]
pub fn limits() -> Vec<Limit> {
    let of = |key, most| Limit {
        of: LimitOf::Key(key),
        most,
    };
    let few = (0..JOB_KEYS).map(|key| of(key.to_string(), LIMITED_AT_ONCE));
    let many = (0..CROWD_KEYS).map(|key| of(format!("crowd:{key}"), CROWDED_AT_ONCE));
    few.chain(many).collect()
}

/// A key that is run once it is quiet.
#[job(
    name = "torture-debounced",
    idempotency = "debounced:{input.key}",
    debounce = (span = "2s", at_most = "8s"),
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_debounced(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// A key that is run at once, and then not too often.
#[job(
    name = "torture-throttled",
    idempotency = "throttled:{input.key}",
    throttle = "3s",
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_throttled(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// A job that is cleaned up after.
#[job(
    name = "torture-cleaned",
    idempotency = none,
    on_cancel = torture_cleaner,
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_cleaned(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// What cleans up.
#[job(name = "torture-cleaner", idempotency = none, attempts = 10, backoff = "200ms..1s")]
pub(crate) async fn torture_cleaner(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// Every limit of time that a job can have.
#[job(
    name = "torture-timed",
    idempotency = none,
    timeout = "8s",
    step_timeout = "3s",
    visibility_timeout = "4s",
    expires = "25s",
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_timed(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}

/// Awaits outside of steps: each delivery waits for its record.
#[job(
    name = "torture-raw",
    idempotency = none,
    allow = (raw_await),
    attempts = 3,
    backoff = "200ms..1s"
)]
pub(crate) async fn torture_raw(input: Script, job: JobContext) -> Result<u64> {
    if let Ok(world) = super::World::current() {
        world.pass(15).await;
    }
    step!("play", steps = play(&input, &job)).await
}

/// A child that is waited for, and that others may join.
#[job(
    name = "torture-child",
    idempotency = "child:{input.key}",
    attempts = 2,
    backoff = "100ms..1s"
)]
pub(crate) async fn torture_child(input: Script, job: JobContext) -> Result<u64> {
    step!("play", steps = play(&input, &job)).await
}
