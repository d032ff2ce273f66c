//! A body that ends its lease by itself: snoozes, goes on as another run, or is cancelled.

use crate::support::{HOUR, Log, bench, error_code, journal, state_of};
use jobs_runtime::JobId;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::{Job, State as JobState};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{Keep, Retention};
use std::time::Duration;

async fn row(bench: &Bench, id: JobId) -> Job {
    bench.jobs().admin().show(id).await.unwrap().unwrap().job
}

async fn named(bench: &Bench, name: &str) -> Vec<Job> {
    let filter = JobFilter {
        name: Some(name.into()),
        ..JobFilter::default()
    };
    let page = bench.jobs().admin().list(&filter, None, 100).await.unwrap();
    page.jobs
}

#[job(idempotency = "snoozes:{input}", attempts = 2)]
async fn snoozes(input: u64, job: JobContext, log: State<Log>) -> Result<u64> {
    step!("first", async { Ok::<_, Failure>(()) }).await?;
    step!("look", {
        log.add("look");
        if (log.count("look") as u64) < input {
            job.snooze(Duration::from_secs(60)).await;
        }
        Ok(())
    })
    .await?;
    Ok(u64::from(job.attempt()))
}

#[tokio::test]
async fn a_snooze_costs_no_attempt_and_looks_anew() {
    let (bench, log) = bench();
    let handle = snoozes(5).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Pending);
    assert_eq!(log.count("look"), 1);
    bench.advance(Duration::from_secs(59)).await.unwrap();
    assert_eq!(log.count("look"), 1, "not before its time");
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 1, "one attempt");
    assert_eq!(log.count("look"), 5);
    assert_eq!(log.count("start first"), 1, "what was recorded stays");
}

#[job(idempotency = "swallows:{input}")]
async fn swallows(input: u64, job: JobContext, log: State<Log>) -> Result<u64> {
    if log.lines().is_empty() {
        log.add("snooze");
        tokio::join!(
            async {
                job.snooze(Duration::from_secs(60)).await;
            },
            step!("beside", async {
                log.add("beside");
                Ok::<_, Failure>(())
            }),
        )
        .1?;
        log.add("went on");
    }
    Ok(input)
}

#[tokio::test]
async fn nothing_starts_after_a_snooze_nor_goes_on() {
    let (bench, log) = bench();
    let handle = swallows(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(log.lines(), ["snooze"]);
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 7);
    assert_eq!(log.lines(), ["snooze"]);
}

#[derive(Serialize, Deserialize)]
struct Feed {
    id: u64,
    page: u64,
}

#[job(idempotency = "feed:{input.id}", queue = "feeds", unique_for = "1d")]
async fn follow_feed(input: Feed, job: JobContext) -> Result<u64> {
    let page = step!("fetch", async { Ok::<_, Failure>(input.page + 1) }).await?;
    if page < 10 {
        let next = follow_feed(Feed { page, ..input }).delay(Duration::from_secs(60));
        match job.continue_as(next).await? {}
    }
    Ok(page)
}

#[tokio::test]
async fn an_endless_job_goes_on_under_its_key_with_an_empty_journal() {
    let (bench, _) = bench();
    let feed = || Feed { id: 7, page: 0 };
    let first = follow_feed(feed()).label("kind", "rss");
    let first = first.enqueue(bench.jobs()).await.unwrap();
    bench.advance(Duration::from_secs(60)).await.unwrap();
    let (before, after) = (
        row(&bench, first.id()).await,
        named(&bench, "follow_feed").await,
    );
    assert_eq!(before.head.state, JobState::Done);
    assert_eq!(after.len(), 3, "two ended, one waits");
    let live = after.iter().find(|job| job.head.state.is_live()).unwrap();
    assert_eq!(live.spec.key, before.spec.key);
    assert_eq!(live.spec.queue, "feeds");
    assert_eq!(live.spec.labels["kind"], "rss");
    let again = follow_feed(feed()).enqueue(bench.jobs()).await.unwrap();
    assert_eq!(again.id(), live.spec.id, "its key is held");
    bench.advance(HOUR).await.unwrap();
    assert_eq!(
        bench.jobs().wait(&first).await.unwrap(),
        10,
        "of the last run"
    );
    let all = named(&bench, "follow_feed").await;
    assert_eq!(all.len(), 10);
    for job in all {
        assert_eq!(journal(&bench, job.spec.id).await, ["fetch"]);
    }
}

#[tokio::test]
async fn i10_whoever_has_an_old_run_of_a_chain_cancels_the_live_one() {
    let (bench, _) = bench();
    let first = follow_feed(Feed { id: 8, page: 0 });
    let first = first.enqueue(bench.jobs()).await.unwrap();
    bench.advance(Duration::from_secs(200)).await.unwrap();
    bench.jobs().admin().cancel(first.id()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let all = named(&bench, "follow_feed").await;
    let ended = |state| all.iter().filter(|job| job.head.state == state).count();
    assert_eq!(ended(JobState::Cancelled), 1);
    assert_eq!(ended(JobState::Done), all.len() - 1, "and nothing is live");
    let error = bench.jobs().wait(&first).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_CANCELLED");
    let error = bench.jobs().admin().cancel(first.id()).await.unwrap_err();
    assert_eq!(error.code(), "X_CONFLICT");
}

#[tokio::test]
async fn a_waiter_finds_the_chain_whose_runs_retention_has_removed() {
    let (bench, _) = bench();
    let first = follow_feed(Feed { id: 9, page: 0 });
    let first = first.enqueue(bench.jobs()).await.unwrap();
    let jobs = bench.jobs();
    let wait = jobs.wait(&first);
    let work = async {
        // The waiter has looked by then, and does not look again while the bench works.
        tokio::task::yield_now().await;
        for _ in 0..5 {
            bench.advance(Duration::from_secs(60)).await.unwrap();
        }
        let nothing = Retention::new()
            .done(Keep::newest(0))
            .at_least(Duration::ZERO);
        jobs.admin().sweep(&nothing).await.unwrap();
        assert_eq!(named(&bench, "follow_feed").await.len(), 1);
        bench.advance(HOUR).await.unwrap();
    };
    let (last, ()) = tokio::join!(wait, work);
    assert_eq!(last.unwrap(), 10);
}

#[job(idempotency = "strays:{input}", attempts = 1)]
async fn strays(input: u64, job: JobContext) -> Result<()> {
    match job.continue_as(snoozes(input)).await? {}
}

#[tokio::test]
async fn a_job_cannot_go_on_as_another_job() {
    let (bench, _) = bench();
    let handle = strays(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let code = error_code(&bench, handle.id()).await;
    assert_eq!(code.as_deref(), Some("X_NOT_IMPLEMENTED"));
}

fn watch(job: &JobContext, log: &Log) {
    let (over, log) = (job.cancelled(), log.clone());
    tokio::spawn(async move {
        over.await;
        log.add("over");
    });
}

#[job(idempotency = "rents:{input}", on_cancel = gives_back)]
async fn rents(input: u64, job: JobContext, log: State<Log>) -> Result<()> {
    watch(&job, &log);
    step!("rent", async { Ok::<_, Failure>(input) }).await?;
    step!("drive", sleep = "7d").await;
    Ok(())
}

#[job(idempotency = none)]
async fn gives_back(input: u64, log: State<Log>) -> Result<()> {
    step!("give-back", async {
        log.add(format!("give back {input}"));
        Ok::<_, Failure>(())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn i10_a_cancelled_job_is_cleaned_up_once_and_stays_cancelled() {
    let (bench, log) = bench();
    let handle = rents(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    bench.advance(24 * HOUR).await.unwrap();
    assert_eq!(log.count("give back 7"), 1);
    let cancelled = row(&bench, handle.id()).await;
    assert_eq!(cancelled.head.state, JobState::Cancelled);
    assert_eq!(journal(&bench, handle.id()).await, ["rent"]);
    let clean_up = &named(&bench, "gives_back").await[0];
    assert_eq!(clean_up.spec.labels["cancelled"], handle.id().to_string());
}

#[tokio::test]
async fn what_a_body_set_going_learns_that_the_lease_is_over() {
    let (bench, log) = bench();
    rents(8).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert_eq!(log.count("over"), 1, "the run was parked");
}

#[job(idempotency = "trips:{input}")]
async fn trips(input: u64) -> Result<()> {
    step!("car", job = rents(input)).await?;
    Ok(())
}

#[tokio::test]
async fn d31_a_child_that_is_cancelled_with_its_parent_is_cleaned_up_too() {
    let (bench, log) = bench();
    let handle = trips(9).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let child = &named(&bench, "rents").await[0];
    assert_eq!(child.head.state, JobState::Cancelled);
    assert_eq!(log.count("give back 9"), 1);
}

#[job(idempotency = "wraps:{input}", attempts = 1)]
async fn wraps(input: u64) -> Result<u64> {
    Ok(step!("feed", job = follow_feed(Feed { id: input, page: 0 })).await?)
}

#[tokio::test]
async fn a_child_whose_parent_waits_cannot_go_on_as_another_run() {
    let (bench, _) = bench();
    let handle = wraps(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(50 * HOUR).await.unwrap();
    let error = bench.jobs().wait(&handle).await.unwrap_err().to_string();
    assert!(error.contains("its parent waits"), "{error}");
}
