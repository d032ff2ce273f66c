//! `Bench::outcome`: what came of a job, or what it waits for.

use crate::support::{Answered, DAY, Signup, flaky, survey};
use jobs_runtime::Handle;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;

/// The words after "has not ended: ".
async fn waits_for<J: Job>(bench: &Bench, handle: &Handle<J>) -> String
where
    J::Output: std::fmt::Debug,
{
    let error = bench.outcome(handle).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_NOT_ENDED");
    let message = error.to_string();
    let (_, why) = message.split_once("has not ended: ").unwrap();
    why.to_owned()
}

#[tokio::test]
async fn it_says_at_each_point_what_the_job_waits_for() {
    let bench = Bench::new();
    let handle = survey(Signup { user_id: 7 })
        .delay(DAY)
        .enqueue(bench.jobs())
        .await
        .unwrap();
    assert_eq!(waits_for(&bench, &handle).await, "it begins in 1d");
    bench.clock().advance(DAY);
    assert_eq!(
        waits_for(&bench, &handle).await,
        "it is ready in queue \"default\", and nothing has run it"
    );
    bench.drain().await.unwrap();
    assert_eq!(
        waits_for(&bench, &handle).await,
        "the sleep \"cool-off\" ends in 3d"
    );
    bench.advance(4 * DAY).await.unwrap();
    assert_eq!(
        waits_for(&bench, &handle).await,
        "\"answer\" waits for the event \"bench-answered\" with the key \"7\", or until its time is over in 13d"
    );
    let publish = bench.jobs().publish(Answered { stars: 4 }, 7);
    publish.await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 4);
}

#[tokio::test]
async fn it_tells_the_last_error_of_a_job_that_is_tried_again() {
    let bench = Bench::new();
    let handle = flaky(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let why = waits_for(&bench, &handle).await;
    let start = "attempt 2 of 3 begins in ";
    assert!(why.starts_with(start), "{why}");
    assert!(
        why.ends_with("; the last one failed: the line was busy"),
        "{why}"
    );
}

#[tokio::test]
async fn it_gives_the_error_of_a_dead_letter() {
    let bench = Bench::new();
    let handle = flaky(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(DAY).await.unwrap();
    let error = bench.outcome(&handle).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_MAX_ATTEMPTS");
}
