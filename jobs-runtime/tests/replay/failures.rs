//! R3: which failures are history, and which are tried again.

use crate::support::{HOUR, Log, bench, error_code, journal, state_of};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;

/// Fails so often, then gives its value.
async fn flaky(log: &Log, name: &str, failures: usize) -> Result<u32> {
    let line = format!("run {name}");
    log.add(&*line);
    match log.count(&line) {
        n if n <= failures => Err(Failure::msg(format!("{name} failed"))),
        n => Ok(n as u32),
    }
}

#[job(idempotency = "r3-leaves:{input}", backoff = "1m")]
async fn r3_leaves(input: usize, log: State<Log>) -> Result<u32> {
    step!("before", flaky(&log, "before", 0)).await?;
    Ok(step!("charge", flaky(&log, "charge", input)).await?)
}

#[tokio::test]
async fn a_step_whose_error_left_the_body_runs_again() {
    let (bench, log) = bench();
    let handle = r3_leaves(2).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 3);
    assert_eq!(log.count("run before"), 1);
    assert_eq!(log.count("run charge"), 3);
}

#[tokio::test]
async fn attempts_that_are_used_up_make_a_dead_letter() {
    let (bench, log) = bench();
    let handle = r3_leaves(99).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Dead);
    assert_eq!(log.count("run charge"), 5);
    let error = bench.jobs().wait(&handle).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_MAX_ATTEMPTS");
    assert!(error.to_string().contains("charge failed"), "{error}");
}

#[job(idempotency = "r3-handled:{input}", backoff = "1m")]
async fn r3_handled(input: usize, log: State<Log>) -> Result<String> {
    let charged = step!("charge", flaky(&log, "charge", 1)).await;
    let told = match charged {
        Ok(_) => "charged".to_owned(),
        Err(error) => {
            step!("refund", flaky(&log, "refund", 0)).await?;
            format!("refunded after: {}", error.message())
        }
    };
    step!("nap", sleep = "1h").await;
    step!("mail", flaky(&log, "mail", input)).await?;
    Ok(told)
}

#[tokio::test]
async fn a_handled_failure_stays_a_failure_on_replay() {
    let (bench, log) = bench();
    let handle = r3_handled(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    let told = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(told, "refunded after: charge failed");
    assert_eq!(log.count("run charge"), 1);
    assert_eq!(log.count("run refund"), 1);
    assert_eq!(log.count("run mail"), 2);
}

#[job(idempotency = "r3-rethrow:{input}", backoff = "1m")]
async fn r3_rethrow(input: u32, log: State<Log>) -> Result<u32> {
    let charged = step!("charge", flaky(&log, "charge", 1)).await;
    if let Err(error) = charged {
        step!("refund", flaky(&log, "refund", 0)).await?;
        return Err(error.into());
    }
    Ok(input)
}

#[tokio::test]
async fn r3_compensate_and_rethrow_is_not_tried_again() {
    let (bench, log) = bench();
    let handle = r3_rethrow(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Failed);
    assert_eq!(
        log.count("run charge"),
        1,
        "no attempt charges beside the refund"
    );
    assert_eq!(log.count("run refund"), 1);
}

#[job(idempotency = "r3-hole:{input}", backoff = "1m")]
async fn r3_hole(input: u32, log: State<Log>) -> Result<u32> {
    let (charged, shipped) = tokio::join!(
        step!("charge", flaky(&log, "charge", 1)),
        step!("ship", async { crate::support::after_polls(5, ()).await }),
    );
    shipped?;
    if let Err(error) = charged {
        step!("refund", flaky(&log, "refund", 0)).await?;
        return Err(error.into());
    }
    Ok(input)
}

#[tokio::test]
async fn r3_the_known_hole_is_caught_as_a_mismatch() {
    let (bench, log) = bench();
    let handle = r3_hole(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    assert_eq!(
        error_code(&bench, handle.id()).await.as_deref(),
        Some("X_JOURNAL_MISMATCH")
    );
    assert_eq!(log.count("run refund"), 1);
}

#[job(idempotency = "r3-parallel:{input}", backoff = "1m")]
async fn r3_parallel(input: u32, log: State<Log>) -> Result<u32> {
    let (left, right) = tokio::try_join!(
        step!("left", flaky(&log, "left", 1)),
        step!("right", flaky(&log, "right", 0)),
    )?;
    Ok(input + left + right)
}

#[tokio::test]
async fn a_failed_branch_of_try_join_runs_again_and_the_good_one_does_not() {
    let (bench, log) = bench();
    let handle = r3_parallel(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 4);
    assert_eq!(log.count("run left"), 2);
    assert!(log.count("run right") <= 2);
}

#[job(idempotency = "fatal:{input}")]
async fn fatal_step(input: u32, log: State<Log>) -> Result<u32> {
    let body = async {
        log.add("run");
        Err::<u32, _>(Failure::msg("no such account").fatal())
    };
    let _ = input;
    Ok(step!("charge", attempts = 3, async {
        log.add("run");
        Err::<u32, _>(Failure::msg("no such account").fatal())
    })
    .await
    .inspect(|_| drop(body))?)
}

#[tokio::test]
async fn a_fatal_error_is_not_tried_again() {
    let (bench, log) = bench();
    let handle = fatal_step(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Failed);
    assert_eq!(log.count("run"), 1);
}

#[job(idempotency = "step-tries:{input}", attempts = 1)]
async fn step_tries(input: usize, log: State<Log>) -> Result<u32> {
    Ok(step!(
        "charge",
        attempts = 4,
        backoff = "10s..1m",
        flaky(&log, "charge", input)
    )
    .await?)
}

#[tokio::test]
async fn a_step_is_tried_again_within_one_attempt_of_the_job() {
    let (bench, log) = bench();
    let handle = step_tries(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 4);
    assert_eq!(log.count("run charge"), 4);
    assert_eq!(journal(&bench, handle.id()).await, ["charge"]);
}

#[job(idempotency = "panics:{input}", backoff = "1m", attempts = 2)]
async fn panics(input: u32, log: State<Log>) -> Result<u32> {
    log.add("body");
    if log.count("body") == 1 {
        panic!("out of {input}");
    }
    Ok(input)
}

#[tokio::test]
async fn a_panic_is_a_failed_attempt_with_its_message() {
    let (bench, _) = bench();
    let handle = panics(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    let error = view.job.notes.error.unwrap();
    assert_eq!(error.code.as_deref(), Some("X_JOB_PANIC"));
    assert_eq!(error.message, "the body panicked: out of 7");
    assert!(error.backtrace.unwrap().contains("failures.rs"));
    assert_eq!(view.job.head.attempt, 2);
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 7);
}

#[job(idempotency = "same-name:{input}")]
async fn same_name(input: u32) -> Result<u32> {
    for k in [1, 2, 1] {
        step!("item:{k}", async { Ok::<_, Failure>(k) }).await?;
    }
    Ok(input)
}

#[tokio::test]
async fn computed_names_that_collide_fail_the_run() {
    let (bench, _) = bench();
    let handle = same_name(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Failed);
    assert_eq!(
        error_code(&bench, handle.id()).await.as_deref(),
        Some("X_STEP_DUPLICATE")
    );
}
