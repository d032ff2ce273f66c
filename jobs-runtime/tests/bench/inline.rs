//! The inline mode: `enqueue` returns when the job has run.

use crate::support::{Answered, Signup, flaky, survey};
use jobs_runtime::clock::{Clock, VirtualClock};
use jobs_runtime::core::Millis;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

#[derive(Clone, Default)]
struct Threads(Arc<Mutex<Vec<ThreadId>>>);

#[job(name = "bench-thread", idempotency = none)]
async fn thread(input: u32, seen: State<Threads>) -> Result<u32> {
    seen.0.lock().unwrap().push(std::thread::current().id());
    Ok(input)
}

#[tokio::test]
async fn a_job_runs_in_the_task_that_enqueues_it() {
    let seen = Threads::default();
    let state = seen.clone();
    let bench = Bench::inline().worker(move |worker| worker.state(state.clone()));
    let handle = thread(5).enqueue(bench.jobs()).await.unwrap();
    assert_eq!(*seen.0.lock().unwrap(), [std::thread::current().id()]);
    assert_eq!(bench.outcome(&handle).await.unwrap(), 5);
}

#[tokio::test]
async fn the_failure_of_a_body_is_the_error_of_its_enqueue_and_nothing_is_tried_again() {
    let bench = Bench::inline();
    let error = flaky(1).enqueue(bench.jobs()).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_FAILED");
    assert!(error.to_string().ends_with("the line was busy"), "{error}");
    assert_eq!(bench.clock().now(), VirtualClock::START);
}

#[tokio::test]
async fn sleeps_and_delays_pass_and_a_wait_for_an_event_stays() {
    let bench = Bench::inline();
    let handle = survey(Signup { user_id: 7 })
        .delay(crate::support::DAY)
        .enqueue(bench.jobs())
        .await
        .unwrap();
    let passed = bench.clock().now().since(VirtualClock::START);
    assert_eq!(passed, Millis::secs(4 * 24 * 3600));
    assert!(bench.outcome(&handle).await.is_err());
    let publish = bench.jobs().publish(Answered { stars: 2 }, 7);
    publish.await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 2);
}

#[job(name = "bench-outer", idempotency = "outer:{input}")]
async fn outer(input: u64, jobs: State<Jobs>) -> Result<u64> {
    let inner = step!("enqueue", async {
        let inner = inner(input).enqueue(&jobs).await?;
        Ok::<_, Failure>((inner.id(), inner.run_id()))
    })
    .await?;
    let _ = inner;
    Ok(input + 1)
}

#[job(name = "bench-inner", idempotency = "inner:{input}")]
async fn inner(input: u64) -> Result<u64> {
    step!("rest", sleep = "2d").await;
    Ok(input)
}

#[tokio::test]
async fn a_body_that_enqueues_a_job_waits_for_it_and_keeps_its_lease() {
    let bench = Bench::inline();
    let jobs = bench.jobs().clone();
    let bench = bench.worker(move |worker| worker.state(jobs.clone()));
    let handle = outer(1).enqueue(bench.jobs()).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 2);
    let inner = bench.enqueued::<inner>().await.unwrap();
    assert_eq!(inner[0].view, jobs_runtime::core::View::Done);
}

#[tokio::test]
async fn a_job_that_no_worker_of_the_bench_serves_is_refused() {
    let bench = Bench::inline().worker(|worker| worker.queue("mail"));
    let error = flaky(0).enqueue(bench.jobs()).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_NOT_ENDED");
    assert!(error.to_string().contains("ready in queue \"default\""));
}
