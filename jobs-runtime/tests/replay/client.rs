//! The client: batches, the options of a request, and waiting for a result.

use crate::support::{Calls, HOUR, Log, bench, state_of};
use jobs_runtime::Verb;
use jobs_runtime::contract::LABEL_LIMIT;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[job(idempotency = "counted:{input}")]
async fn counted(input: u64, log: State<Log>) -> Result<u64> {
    log.add(format!("run {input}"));
    Ok(input * 2)
}

#[tokio::test]
async fn a_batch_is_one_write_and_answered_in_its_order() {
    let (bench, _) = bench();
    let calls = Calls::of(Verb::Enqueue);
    let bench = bench.hooked(calls.clone());
    let requests = [7, 8, 7].map(counted);
    let handles = bench.jobs().enqueue_all(requests).await.unwrap();
    assert_eq!(calls.count(), 1);
    let handles: Vec<_> = handles.into_iter().map(|handle| handle.unwrap()).collect();
    assert_eq!(handles[0].id(), handles[2].id());
    assert!(handles[2].deduped() && !handles[1].deduped());
    bench.drain().await.unwrap();
    for (handle, output) in handles.iter().zip([14, 16, 14]) {
        assert_eq!(bench.jobs().wait(handle).await.unwrap(), output);
    }
}

#[tokio::test]
async fn a_request_that_is_refused_takes_no_other_with_it() {
    let (bench, _) = bench();
    let jobs = bench.jobs();
    counted(7).enqueue(jobs).await.unwrap();
    let many = (0..=LABEL_LIMIT).fold(counted(9), |request, n| request.label(n.to_string(), "x"));
    let requests = [counted(7).on_conflict(OnConflict::Error), counted(8), many];
    let answers = jobs.enqueue_all(requests).await.unwrap();
    let codes: Vec<_> = answers
        .iter()
        .map(|answer| answer.as_ref().err().map(Error::code))
        .collect();
    let expected = [Some("X_JOB_DUPLICATE"), None, Some("X_NAME_INVALID")];
    assert_eq!(codes, expected);
    assert_eq!(bench.drain().await.unwrap().leases(), 2);
}

#[tokio::test]
async fn a_result_is_waited_for_before_and_after_the_end() {
    let (bench, _) = bench();
    let handle = counted(21).enqueue(bench.jobs()).await.unwrap();
    let (early, late) = (bench.jobs().clone(), handle.clone());
    let early = tokio::spawn(async move { early.wait(&late).await });
    tokio::task::yield_now().await;
    assert!(!early.is_finished());
    bench.drain().await.unwrap();
    assert_eq!(early.await.unwrap().unwrap(), 42);
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 42);
}

#[tokio::test]
async fn every_option_of_a_request_is_stored() {
    let (bench, _) = bench();
    let request = counted(7)
        .priority(2)
        .tenant("acme")
        .queue("slow")
        .attempts(9)
        .expires(HOUR)
        .label("city", "Zürich");
    let handle = request.enqueue(bench.jobs()).await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    let job = view.job;
    assert_eq!(job.spec.priority.level(), 2);
    assert_eq!(job.spec.tenant.as_deref(), Some("acme"));
    assert_eq!(job.spec.queue, "slow");
    assert_eq!(job.head.attempts_max, 9);
    assert_eq!(
        job.spec.expires_at,
        Some(job.head.enqueued_at.after(HOUR.into()))
    );
    assert_eq!(job.spec.labels["city"], "Zürich");
}

#[tokio::test]
async fn an_instant_is_given_in_any_of_its_types() {
    let (bench, log) = bench();
    let start = UNIX_EPOCH + Duration::from_millis(1_767_225_600_000);
    let at: SystemTime = start + HOUR;
    let zoned = jiff::Timestamp::try_from(at).unwrap();
    counted(1).at(at).enqueue(bench.jobs()).await.unwrap();
    counted(2).at(zoned).enqueue(bench.jobs()).await.unwrap();
    bench
        .advance(HOUR - Duration::from_millis(1))
        .await
        .unwrap();
    assert!(log.lines().is_empty());
    bench.advance(Duration::from_millis(1)).await.unwrap();
    assert_eq!(log.lines().len(), 2);
}

#[derive(Serialize, Deserialize)]
struct Sync {
    repo: u64,
    commit: u64,
}

#[job(
    idempotency = "syncs:{input.repo}",
    on_conflict = replace,
    expires = "2h"
)]
async fn syncs(input: Sync, log: State<Log>) -> Result<()> {
    step!("pull", sleep = "1h").await;
    log.add(format!("sync {}", input.commit));
    Ok(())
}

#[tokio::test]
async fn q42_the_newest_input_runs_before_the_start_and_once_more_after_it() {
    let (bench, log) = bench();
    let sync = |commit| syncs(Sync { repo: 7, commit }).enqueue(bench.jobs());
    for commit in [1, 2, 3] {
        sync(commit).await.unwrap();
    }
    bench.drain().await.unwrap();
    for commit in [4, 5, 6] {
        sync(commit).await.unwrap();
    }
    bench.advance(5 * HOUR).await.unwrap();
    assert_eq!(log.lines(), ["sync 3", "sync 6"]);
}

#[tokio::test]
async fn the_expiry_of_the_definition_holds_unless_the_request_has_its_own() {
    let (bench, log) = bench();
    let jobs = bench.jobs();
    let sync = |repo| syncs(Sync { repo, commit: repo });
    let late = sync(1).delay(3 * HOUR).enqueue(jobs).await.unwrap();
    sync(2)
        .delay(3 * HOUR)
        .expires(4 * HOUR)
        .enqueue(jobs)
        .await
        .unwrap();
    bench.advance(6 * HOUR).await.unwrap();
    assert_eq!(log.lines(), ["sync 2"]);
    assert_eq!(state_of(&bench, late.id()).await, JobState::Failed);
    let error = jobs.wait(&late).await.unwrap_err();
    assert!(error.to_string().contains("before it expired"), "{error}");
}

#[job(idempotency = "daily:{input}", unique_for = "1d")]
async fn daily(input: u64, log: State<Log>) -> Result<()> {
    log.add(format!("daily {input}"));
    Ok(())
}

#[tokio::test]
async fn a_key_is_kept_for_the_time_of_the_definition() {
    let (bench, log) = bench();
    for _ in 0..3 {
        daily(7).enqueue(bench.jobs()).await.unwrap();
        bench.advance(11 * HOUR).await.unwrap();
    }
    assert_eq!(log.lines(), ["daily 7"]);
    daily(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(log.lines(), ["daily 7", "daily 7"]);
}
