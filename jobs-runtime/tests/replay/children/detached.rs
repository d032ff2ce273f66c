//! Detached children: stored, and left to themselves.

use super::*;

#[job(idempotency = "child-detached:{input}")]
async fn child_detached(input: u64, log: State<Log>) -> Result<String> {
    let slow = Parcel {
        hours: 5,
        ..parcel(input)
    };
    let sent: Handle<child_parcel> =
        step!("notify", job = child_parcel(slow.clone()), detached).await?;
    log.add(format!("sent {} {}", sent.id(), sent.deduped()));
    step!("nap", sleep = "1h").await;
    Ok(sent.id().to_string())
}

#[tokio::test]
async fn a_detached_child_is_not_waited_for_and_its_handle_is_kept() {
    let (bench, log) = bench();
    let handle = child_detached(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    let id = bench.jobs().wait(&handle).await.unwrap();
    let sent: JobId = id.parse().unwrap();
    assert_eq!(log.count(&format!("sent {id} false")), 2, "live and replay");
    assert_eq!(state_of(&bench, sent).await, JobState::Suspended);
    let child = bench.jobs().admin().show(sent).await.unwrap().unwrap();
    assert_eq!(child.job.spec.parent, None);
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, sent).await, JobState::Done);
}

#[tokio::test]
async fn a_detached_child_whose_key_is_taken_is_the_job_that_has_it() {
    let (bench, log) = bench();
    let first = child_parcel(parcel(3)).delay(9 * HOUR);
    let first = first.enqueue(bench.jobs()).await.unwrap();
    let handle = child_detached(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    let id = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(id, first.id().to_string());
    assert_eq!(log.count(&format!("sent {id} true")), 2);
}

#[tokio::test]
async fn a_detached_child_outlives_the_cancelling_of_its_parent() {
    let (bench, _) = bench();
    let handle = child_detached(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    let sent = jobs_named(&bench, "child_parcel").await;
    assert_eq!(state_of(&bench, sent[0]).await, JobState::Done);
}
