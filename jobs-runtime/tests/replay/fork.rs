//! Forks: a run of its own that begins as another did.

use crate::support::{HOUR, Log, bench, journal, state_of};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;

#[job(idempotency = "forked:{input}")]
async fn forked(input: u64, job: JobContext, log: State<Log>) -> Result<String> {
    let batch = job.random();
    // A name made of a recorded value: the fork must draw the same one.
    step!("open:{batch}", async { Ok::<_, Failure>(()) }).await?;
    let number = step!("number", async {
        log.add("number");
        Ok::<_, Failure>(log.count("number"))
    })
    .await?;
    let mark = job.uuid();
    step!("close:{mark}", async { Ok::<_, Failure>(()) }).await?;
    step!("last", async {
        Ok::<_, Failure>(job.idempotency_token().to_string())
    })
    .await?;
    Ok(format!("{input}:{number}:{mark}"))
}

#[tokio::test]
async fn r11_a_fork_has_the_results_before_its_step_and_does_the_rest_anew() {
    let (bench, log) = bench();
    let origin = forked(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let admin = bench.jobs().admin();
    let fork = admin.fork(origin.id(), "number").await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, fork.id).await, JobState::Done);
    assert_eq!(log.count("number"), 2);
    let names = journal(&bench, fork.id).await;
    assert_eq!(names[0], journal(&bench, origin.id()).await[0]);
    assert_eq!(names.len(), 4);
    let view = admin.show(fork.id).await.unwrap().unwrap();
    assert_eq!(view.job.spec.fork_of, Some(origin.run_id()));
    assert_eq!(view.job.spec.key, None);
    assert!(
        !view
            .job
            .notes
            .trace
            .unwrap()
            .replayed
            .contains(&"number".into())
    );
}

#[tokio::test]
async fn r11_a_fork_of_a_fork_begins_as_both_did() {
    let (bench, log) = bench();
    let origin = forked(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let admin = bench.jobs().admin();
    let fork = admin.fork(origin.id(), "number").await.unwrap();
    bench.drain().await.unwrap();
    let second = admin.fork(fork.id, "last").await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, second.id).await, JobState::Done);
    assert_eq!(
        log.count("number"),
        2,
        "the second fork has the first one's"
    );
    assert_eq!(
        journal(&bench, second.id).await,
        journal(&bench, fork.id).await
    );
}

#[tokio::test]
async fn a_fork_under_a_key_meets_whoever_holds_it() {
    let (bench, _) = bench();
    let origin = forked(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let admin = bench.jobs().admin();
    let live = forked(9).delay(HOUR).enqueue(bench.jobs()).await.unwrap();
    let refused = admin.fork_as(origin.id(), "number", "forked:9").await;
    let refused = refused.unwrap_err();
    assert!(refused.is_duplicate());
    assert!(refused.to_string().contains(&live.id().to_string()));
    admin
        .fork_as(origin.id(), "number", "forked:again")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_fork_from_a_step_that_is_not_there_names_the_nearest() {
    let (bench, _) = bench();
    let origin = forked(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let admin = bench.jobs().admin();
    for refused in [
        admin.fork(origin.id(), "nubmer").await.map(drop),
        admin.requeue_from(origin.id(), "nubmer").await,
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.code(), "X_STEP_UNKNOWN");
        assert_eq!(error.fix(), "did you mean \"number\"?");
    }
}
