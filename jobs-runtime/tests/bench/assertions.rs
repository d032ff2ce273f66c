//! `assert_enqueued!`, `refute_enqueued!` and `assert_published!`.

use crate::support::{Answered, Signup, flaky, survey};
use futures::FutureExt;
use jobs_runtime::testing::Bench;
use jobs_runtime::{assert_enqueued, assert_published, refute_enqueued};
use std::panic::AssertUnwindSafe;

async fn two_surveys() -> Bench {
    let bench = Bench::new();
    for user_id in [7, 8] {
        survey(Signup { user_id })
            .enqueue(bench.jobs())
            .await
            .unwrap();
    }
    bench
}

/// What an assertion says when it fails.
async fn words(assertion: impl Future<Output = ()>) -> String {
    let failed = AssertUnwindSafe(assertion).catch_unwind().await;
    *failed.unwrap_err().downcast::<String>().unwrap()
}

#[tokio::test]
async fn a_job_that_was_enqueued_is_found_by_its_input() {
    let bench = two_surveys().await;
    assert_enqueued!(bench, survey);
    assert_enqueued!(bench, survey, |input| input.user_id == 8);
    refute_enqueued!(bench, survey, |input| input.user_id == 9);
    refute_enqueued!(bench, flaky);
}

#[tokio::test]
async fn a_job_that_has_ended_was_enqueued_all_the_same() {
    let bench = Bench::inline();
    flaky(0).enqueue(bench.jobs()).await.unwrap();
    assert_enqueued!(bench, flaky, |input| *input == 0);
}

#[tokio::test]
async fn a_failed_assertion_shows_the_jobs_there_are() {
    let bench = two_surveys().await;
    flaky(1).enqueue(bench.jobs()).await.unwrap();
    let words = words(async {
        assert_enqueued!(bench, survey, |input| input.user_id == 9);
    });
    assert_eq!(
        words.await,
        "no job \"bench-survey\" was enqueued for which this holds: |input| input.user_id == 9\n\
         of \"bench-survey\" there are 2\n  \
         ready {\"user_id\":7}\n  \
         ready {\"user_id\":8}\n\
         of other names there are 1: bench-flaky"
    );
}

#[tokio::test]
async fn a_failed_refutation_shows_what_was_found() {
    let bench = two_surveys().await;
    let words = words(async { refute_enqueued!(bench, survey) }).await;
    let first = words.lines().next();
    assert_eq!(first, Some("2 jobs named \"bench-survey\" were enqueued"));
    assert!(words.contains("ready {\"user_id\":7}"), "{words}");
}

#[tokio::test]
async fn a_published_event_is_found_and_a_missing_one_is_told() {
    let bench = Bench::new();
    let publish = bench.jobs().publish(Answered { stars: 3 }, 7);
    publish.await.unwrap();
    assert_published!(bench, Answered);
    assert_published!(bench, Answered, |answer| answer.stars == 3);
    let words = words(async {
        assert_published!(bench, Answered, |answer| answer.stars == 4);
    });
    assert_eq!(
        words.await,
        "no event \"bench-answered\" was published for which this holds: |answer| answer.stars == 4\n\
         of \"bench-answered\" there are 1\n  \
         [7] {\"stars\":3}"
    );
}
