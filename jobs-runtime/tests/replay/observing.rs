//! What a worker tells its observer: enough for a terminal to say what happens as it happens.

use crate::support::{HOUR, Log};
use jobs_runtime::RunEvent;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;

#[job(idempotency = "observed:{input}")]
async fn observed(input: u32) -> Result<u32> {
    let doubled = step!("double", async { Ok::<_, Failure>(input * 2) }).await?;
    step!("nap", sleep = "1h").await;
    Ok(step!("add", async { Ok::<_, Failure>(doubled + 1) }).await?)
}

/// The lines that an observer writes while one job runs to its end.
async fn told(
    line: impl Fn(Option<&str>, RunEvent<'_>) -> Option<String> + Send + Sync + Clone + 'static,
) -> Vec<String> {
    let log = Log::default();
    let lines = log.clone();
    let bench = Bench::new().worker(move |worker| {
        let (log, line) = (lines.clone(), line.clone());
        worker.state(log.clone()).observe(move |run, event| {
            if let Some(line) = line(run.key, event) {
                log.add(line);
            }
        })
    });
    observed(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    log.lines()
}

#[tokio::test]
async fn a_step_whose_record_shares_the_write_that_parks_the_run_is_told_as_stored() {
    let lines = told(|_, event| match event {
        RunEvent::StepStored { step, .. } => Some(format!("stored {step}")),
        RunEvent::Suspended { .. } => Some("suspended".into()),
        RunEvent::Ended { state, .. } => Some(state.to_string()),
        _ => None,
    });
    let expected = [
        "stored double",
        "suspended",
        "stored nap",
        "stored add",
        "done",
    ];
    assert_eq!(lines.await, expected);
}

#[tokio::test]
async fn a_lease_begins_with_the_names_of_the_recorded_steps() {
    let lines = told(|_, event| match event {
        RunEvent::Claimed { recorded } => Some(recorded.join(" ")),
        _ => None,
    });
    assert_eq!(lines.await, ["", "double"]);
}

#[tokio::test]
async fn every_event_carries_the_key_of_its_job() {
    let lines = told(|key, _| key.map(str::to_owned));
    let lines = lines.await;
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|key| key == "observed:7"), "{lines:?}");
}
