//! Outages and lost replies: nothing is lost, and no body runs twice for them.

use crate::support::{Fault, Faults, Log};
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{RunEvent, Verb};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

#[job(idempotency = "two-steps:{input}", backoff = "1m")]
async fn two_steps(input: u64, log: State<Log>) -> Result<u64> {
    let first = step!("first", {
        log.add("body first");
        Ok(input + 1)
    })
    .await?;
    Ok(step!("second", {
        log.add("body second");
        Ok(first + 1)
    })
    .await?)
}

fn bench(faults: impl FnOnce(Faults) -> Faults) -> (Bench, Log) {
    let log = Log::default();
    let state = log.clone();
    let bench = Bench::new().worker(move |worker| {
        let log = state.clone();
        worker
            .state(state.clone())
            .observe(move |_, event| match event {
                RunEvent::StepStarted { step } => log.add(format!("start {step}")),
                RunEvent::StepStored { step, .. } => log.add(format!("stored {step}")),
                RunEvent::LeaseLost => log.add("lost"),
                _ => {}
            })
    });
    (bench.hooked(faults(Faults::log(&log))), log)
}

#[tokio::test]
async fn r2_no_body_starts_before_what_was_delivered_is_durable() {
    let (bench, log) = bench(|faults| faults);
    let handle = two_steps(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 3);
    let steps: Vec<String> = log
        .lines()
        .into_iter()
        .filter(|l| !l.starts_with("store "))
        .collect();
    let expected = [
        "start first",
        "body first",
        "stored first",
        "start second",
        "body second",
        "stored second",
    ];
    assert_eq!(steps, expected);
}

#[tokio::test]
async fn a_run_of_n_steps_takes_n_commits() {
    let (bench, log) = bench(|faults| faults);
    two_steps(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(
        log.count("store Commit"),
        2,
        "the last step shares its write with the end"
    );
}

#[tokio::test]
async fn b53_an_outage_at_a_commit_delays_the_run_and_repeats_nothing() {
    let (bench, log) =
        bench(|faults| (0..5).fold(faults, |faults, _| faults.once(Verb::Commit, Fault::Before)));
    let handle = two_steps(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 3);
    assert_eq!((log.count("body first"), log.count("body second")), (1, 1));
}

#[tokio::test]
async fn a_commit_whose_reply_was_lost_is_applied_once() {
    let (bench, log) = bench(|faults| {
        faults
            .once(Verb::Commit, Fault::After)
            .once(Verb::Commit, Fault::After)
    });
    let handle = two_steps(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 3);
    assert_eq!((log.count("body first"), log.count("body second")), (1, 1));
    assert_eq!(log.count("lost"), 0);
}

#[tokio::test]
async fn r8_an_enqueue_whose_reply_was_lost_makes_one_job() {
    let (bench, _) = bench(|faults| faults.once(Verb::Enqueue, Fault::After));
    let enqueue = two_steps(1).enqueue(bench.jobs());
    let clock = bench.clock().clone();
    // The client pauses before it tries again; let that time pass.
    let (handle, ()) = tokio::join!(enqueue, async move {
        while clock.next_sleeper().is_none() {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(1));
    });
    assert!(!handle.unwrap().deduped());
    let page = bench
        .jobs()
        .admin()
        .list(&JobFilter::default(), None, 10)
        .await
        .unwrap();
    assert_eq!(page.jobs.len(), 1);
}

#[tokio::test]
async fn an_enqueue_that_cannot_reach_the_store_says_so_and_stores_nothing() {
    let (bench, _) = bench(|faults| faults.once(Verb::Enqueue, Fault::Before));
    let error = two_steps(1).enqueue(bench.jobs()).await.unwrap_err();
    assert_eq!(error.code(), "X_DRIVER_UNAVAILABLE");
    let page = bench
        .jobs()
        .admin()
        .list(&JobFilter::default(), None, 10)
        .await
        .unwrap();
    assert!(page.jobs.is_empty());
}

#[job(
    idempotency = "takes-long:{input}",
    timeout = "10s",
    attempts = 2,
    backoff = "1m"
)]
async fn takes_long(input: u64, log: State<Log>) -> Result<u64> {
    log.add("body");
    step!("wait", std::future::pending::<Result<()>>()).await?;
    Ok(input)
}

#[tokio::test]
async fn a_job_past_its_timeout_is_a_failed_attempt() {
    let (bench, log) = bench(|faults| faults);
    let handle = takes_long(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(view.job.head.state, JobState::Dead);
    assert_eq!(
        view.job.notes.error.unwrap().code.as_deref(),
        Some("X_JOB_TIMEOUT")
    );
    assert_eq!(log.count("body"), 2);
}

#[job(idempotency = "slow-step:{input}", backoff = "1m", attempts = 1)]
async fn slow_step(input: u64, log: State<Log>) -> Result<String> {
    let slow = step!("slow", timeout = "10s", attempts = 2, backoff = "1s", {
        log.add("body slow");
        std::future::pending::<()>().await;
        Ok(input)
    });
    match slow.await {
        Ok(_) => Ok("fast".into()),
        Err(error) => Ok(error.code().unwrap_or_default().into()),
    }
}

#[tokio::test]
async fn a_step_past_its_timeout_fails_and_is_tried_as_often_as_it_says() {
    let (bench, log) = bench(|faults| faults);
    let handle = slow_step(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "X_JOB_TIMEOUT");
    assert_eq!(log.count("body slow"), 2);
}

#[derive(Serialize, Deserialize)]
struct Old {
    amount: u32,
}

#[job(
    name = "changed-input",
    idempotency = "changed:{input.amount}",
    attempts = 2,
    backoff = "1m"
)]
async fn changed_input(input: Old) -> Result<u32> {
    Ok(input.amount)
}

#[tokio::test]
async fn b55_an_input_that_no_longer_decodes_backs_off_and_becomes_a_dead_letter() {
    let (bench, log) = bench(|faults| faults);
    let bad = changed_input(Old { amount: 7 })
        .enqueue(bench.jobs())
        .await
        .unwrap();
    let good: Vec<_> =
        futures::future::join_all((0..9).map(|n| two_steps(n).enqueue(bench.jobs()))).await;
    // As if an older version had written it.
    let view = bench.jobs().admin().show(bad.id()).await.unwrap().unwrap();
    let mut spec = view.job.spec.clone();
    spec.id = jobs_runtime::JobId::new(jobs_runtime::Timestamp(1), 9);
    spec.key = Some("changed:other".into());
    spec.input = jobs_runtime::core::Payload::json(*br#"{"amount":"seven"}"#);
    let old = jobs_runtime::core::NewJob {
        spec,
        visible: jobs_runtime::core::Visible::Now,
        attempts_max: 2,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    };
    let stored = bench.jobs().enqueue_raw(old).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    for handle in good {
        bench.jobs().wait(&handle.unwrap()).await.unwrap();
    }
    let dead = bench
        .jobs()
        .admin()
        .show(stored.id)
        .await
        .unwrap()
        .unwrap()
        .job;
    assert_eq!(dead.head.state, JobState::Dead);
    assert_eq!(
        dead.notes.error.unwrap().code.as_deref(),
        Some("X_INPUT_UNDECODABLE")
    );
    assert_eq!(dead.spec.input.bytes, br#"{"amount":"seven"}"#);
    assert_eq!(log.count("lost"), 0);
}

#[tokio::test]
async fn a_job_without_a_handler_is_left_to_others_and_keeps_its_attempts() {
    let (bench, _) = bench(|faults| faults);
    let handle = two_steps(1).enqueue(bench.jobs()).await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    let mut spec = view.job.spec.clone();
    spec.id = jobs_runtime::JobId::new(jobs_runtime::Timestamp(1), 9);
    spec.name = "gone".into();
    spec.scope = "gone".into();
    let gone = jobs_runtime::core::NewJob {
        spec,
        visible: jobs_runtime::core::Visible::Now,
        attempts_max: 1,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    };
    let stored = bench.jobs().enqueue_raw(gone).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let job = bench
        .jobs()
        .admin()
        .show(stored.id)
        .await
        .unwrap()
        .unwrap()
        .job;
    assert_eq!((job.head.state, job.head.attempt), (JobState::Pending, 1));
    assert!(
        job.head.token.epoch > 10,
        "it was looked at again and again"
    );
}

#[tokio::test]
async fn r6_a_cancel_whose_reply_was_lost_is_answered_as_done() {
    let (bench, _) = bench(|faults| faults.once(Verb::Commit, Fault::After));
    let handle = two_steps(1).enqueue(bench.jobs()).await.unwrap();
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    let error = bench.jobs().wait(&handle).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_CANCELLED");
}
