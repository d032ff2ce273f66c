//! What a drain tells, and that it ends.

use crate::support::{DAY, Signup, flaky, survey};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use std::time::Duration;

#[tokio::test]
async fn nothing_runs_until_it_is_drained() {
    let bench = Bench::new();
    flaky(0).enqueue(bench.jobs()).await.unwrap();
    bench.clock().advance(DAY);
    assert!(bench.enqueued::<flaky>().await.unwrap()[0].view == jobs_runtime::core::View::Ready);
    assert_eq!(bench.drain().await.unwrap().leases(), 1);
}

#[tokio::test]
async fn a_drain_tells_how_each_lease_left_its_job() {
    let bench = Bench::new();
    flaky(0).enqueue(bench.jobs()).await.unwrap();
    flaky(1).enqueue(bench.jobs()).await.unwrap();
    survey(Signup { user_id: 7 })
        .enqueue(bench.jobs())
        .await
        .unwrap();
    let drained = bench.drain().await.unwrap();
    assert_eq!(drained.done().count(), 1);
    assert_eq!(drained.failed().count(), 1);
    assert_eq!(
        drained.to_string(),
        "3 leases ran\n  \
         bench-flaky [flaky:0] done\n  \
         bench-survey [survey:7] suspended\n  \
         bench-flaky [flaky:1] will be tried again: the line was busy"
    );
    let later = bench.advance(Duration::from_secs(7200)).await.unwrap();
    assert_eq!(
        later.to_string(),
        "1 lease ran\n  bench-flaky [flaky:1] attempt 2 done"
    );
}

#[job(name = "bench-endless", idempotency = none)]
async fn endless(input: u32, jobs: State<Jobs>) -> Result<()> {
    step!("again", async {
        let next = endless(input + 1).enqueue(&jobs).await?;
        Ok::<_, Failure>(next.id())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_drain_without_end_gives_up_and_names_the_job() {
    let bench = Bench::new().limit_leases(20);
    let jobs = bench.jobs().clone();
    let bench = bench.worker(move |worker| worker.state(jobs.clone()));
    endless(0).enqueue(bench.jobs()).await.unwrap();
    let error = bench.drain().await.unwrap_err();
    assert!(error.is_timeout());
    let message = error.to_string();
    let start =
        "the bench ran 20 leases and there are more; the last was for job \"bench-endless\"";
    assert!(message.starts_with(start), "{message}");
}
