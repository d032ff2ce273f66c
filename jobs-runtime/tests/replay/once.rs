//! Steps that run at most once: what the body hears if nobody knows how one ended.

use crate::support::{HOUR, Log, bench, crash_at, error_code, journal, state_of};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use std::time::Duration;

async fn charge(log: &Log, how: &str) -> Result<u32> {
    log.add("charge");
    match how {
        "fails" => Err(Failure::msg("declined")),
        "hangs" => std::future::pending().await,
        _ => Ok(7),
    }
}

#[job(idempotency = "once-handled:{how}", timeout = "1m", backoff = "1m")]
async fn once_handled(how: String, log: State<Log>) -> Result<String> {
    let charged = step!("charge", effect = at_most_once, charge(&log, &how)).await;
    let told = match charged {
        Ok(cents) => format!("charged {cents}"),
        Err(error) if error.is_interrupted() => {
            step!("ask", async {
                Ok::<_, Failure>("asked the bank".to_owned())
            })
            .await?
        }
        Err(error) => error.message().to_owned(),
    };
    step!("nap", sleep = "1h").await;
    Ok(told)
}

async fn outcome(how: &str) -> (String, usize, Vec<String>) {
    let (bench, log) = bench();
    let handle = once_handled(how.into())
        .enqueue(bench.jobs())
        .await
        .unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    let told = bench.jobs().wait(&handle).await.unwrap();
    (
        told,
        log.count("charge"),
        journal(&bench, handle.id()).await,
    )
}

#[tokio::test]
async fn a_step_that_runs_at_most_once_is_replayed_like_any_other() {
    let (told, charges, journal) = outcome("works").await;
    assert_eq!((told.as_str(), charges), ("charged 7", 1));
    assert_eq!(journal, ["charge", "nap"]);
}

#[tokio::test]
async fn its_failure_is_delivered_and_stays() {
    let (told, charges, _) = outcome("fails").await;
    assert_eq!((told.as_str(), charges), ("declined", 1));
}

#[tokio::test]
async fn an_attempt_that_ended_inside_it_leaves_it_interrupted() {
    // The job's timeout ends the first attempt while the body hangs.
    let (told, charges, journal) = outcome("hangs").await;
    assert_eq!((told.as_str(), charges), ("asked the bank", 1));
    assert_eq!(journal, ["charge", "ask", "nap"]);
}

#[job(idempotency = "once-leaves:{how}", timeout = "1m", backoff = "1m")]
async fn once_leaves(how: String, log: State<Log>) -> Result<u32> {
    Ok(step!("charge", effect = at_most_once, charge(&log, &how)).await?)
}

#[tokio::test]
async fn a_job_that_passes_its_failure_on_has_failed() {
    for (how, code) in [("fails", None), ("hangs", Some("X_STEP_INTERRUPTED"))] {
        let (bench, log) = bench();
        let handle = once_leaves(how.into()).enqueue(bench.jobs()).await.unwrap();
        bench.advance(HOUR).await.unwrap();
        assert_eq!(
            state_of(&bench, handle.id()).await,
            JobState::Failed,
            "{how}"
        );
        assert_eq!(error_code(&bench, handle.id()).await.as_deref(), code);
        assert_eq!(log.count("charge"), 1, "{how}");
    }
}

#[tokio::test]
async fn a_worker_that_died_inside_it_leaves_it_interrupted() {
    let (bench, log) = bench();
    let handle = once_handled("hangs".into())
        .enqueue(bench.jobs())
        .await
        .unwrap();
    crash_at(&bench, &log, "charge").await;
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "asked the bank");
    assert_eq!(log.count("charge"), 1);
}

#[tokio::test]
async fn a_requeue_from_it_lets_it_run_again() {
    let (bench, log) = bench();
    let handle = once_leaves("hangs".into())
        .enqueue(bench.jobs())
        .await
        .unwrap();
    bench.advance(HOUR).await.unwrap();
    let admin = bench.jobs().admin();
    admin.requeue_from(handle.id(), "charge").await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(log.count("charge"), 2);
}

#[job(idempotency = "once-beside:{input}", backoff = "1m")]
async fn once_beside(input: u32, log: State<Log>) -> Result<String> {
    let failing = async {
        step!("other", {
            log.add("other");
            // The charge has begun by then.
            tokio::task::yield_now().await;
            if log.count("other") == 1 {
                return Err(Failure::msg("not yet"));
            }
            Ok(())
        })
        .await?;
        Ok::<_, Failure>(())
    };
    let charging = async {
        match step!("charge", effect = at_most_once, charge(&log, "hangs")).await {
            Err(error) if error.is_interrupted() => Ok("interrupted"),
            other => other.map(|_| "charged").map_err(Failure::from),
        }
    };
    let (told, ()) = tokio::try_join!(charging, failing)?;
    let _ = input;
    Ok(told.into())
}

#[tokio::test]
async fn a_failed_branch_beside_it_interrupts_it() {
    let (bench, log) = bench();
    let handle = once_beside(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "interrupted");
    assert_eq!(log.count("charge"), 1);
    assert_eq!(log.count("other"), 2);
}

#[job(
    idempotency = "once-timeout:{input}",
    step_timeout = "10s",
    attempts = 2,
    backoff = "1m"
)]
async fn once_timeout(input: u32, log: State<Log>) -> Result<String> {
    let charged = step!("charge", effect = at_most_once, charge(&log, "hangs")).await;
    let told = charged.map_err(|error| error.is_timeout());
    let _ = input;
    Ok(format!("{told:?}"))
}

#[tokio::test]
async fn its_own_timeout_is_a_failure_and_no_interruption() {
    let (bench, log) = bench();
    let handle = once_timeout(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(Duration::from_secs(60)).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "Err(true)");
    assert_eq!(log.count("charge"), 1);
}
