//! `Admin::explain`: why a job does not run just now.

use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{Handle, Limit, Reason};
use std::time::Duration;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "explained-event", key = u64)]
struct ExplainedEvent;

#[job(
    idempotency = "explained:{input}",
    tenant = "{input}",
    on_conflict = replace
)]
async fn explained(input: u64) -> Result<()> {
    step!("nap", sleep = "1h").await;
    step!("click", event = ExplainedEvent, key = input, timeout = "2h").await?;
    Ok(())
}

async fn told(bench: &Bench, handle: &Handle<explained>) -> String {
    let told = bench.jobs().admin().explain(handle.id()).await.unwrap();
    told.to_string()
}

#[tokio::test]
async fn a_job_that_nothing_holds_back_waits_for_a_worker_and_its_turn() {
    let bench = Bench::new();
    let handle = explained(1).enqueue(bench.jobs()).await.unwrap();
    let told = told(&bench, &handle).await;
    assert!(told.contains("explained"), "{told}");
    assert!(told.contains("is ready"), "{told}");
    assert!(told.contains("for its turn"), "{told}");
}

#[tokio::test]
async fn a_paused_queue_a_full_limit_and_a_delay_are_told_together() {
    let bench = Bench::new();
    let admin = bench.jobs().admin();
    admin.pause("default").await.unwrap();
    let nobody = Limit::NONE.concurrency(0);
    admin.limit_tenant("2", nobody).await.unwrap();
    let later = explained(2).delay(Duration::from_secs(60));
    let handle = later.enqueue(bench.jobs()).await.unwrap();
    let told = told(&bench, &handle).await;
    for part in [
        "it waits until 2",
        "queue \"default\" is paused; resume it",
        "tenant \"2\" in queue \"default\" may run 0 at once, and does",
        "is held to 0 at once, of which 0 run",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[tokio::test]
async fn a_suspended_job_tells_the_step_it_waits_in() {
    let bench = Bench::new();
    let handle = explained(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let napping = told(&bench, &handle).await;
    assert!(napping.contains("step \"nap\" sleeps until"), "{napping}");
    bench.advance(Duration::from_secs(3600)).await.unwrap();
    let waiting = told(&bench, &handle).await;
    let wait = "step \"click\" waits for an event \"explained-event\" with the key \"3\", until";
    assert!(waiting.contains(wait), "{waiting}");
}

#[tokio::test]
async fn a_job_that_follows_another_names_it_and_an_ended_one_says_so() {
    let bench = Bench::new();
    let admin = bench.jobs().admin();
    let first = explained(4).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let second = explained(4).enqueue(bench.jobs()).await.unwrap();
    let told = admin.explain(second.id()).await.unwrap();
    assert!(
        matches!(told.reasons[..], [Reason::Follows { holder }] if holder == Some(first.id())),
        "{told}"
    );
    admin.cancel(first.id()).await.unwrap();
    let told = admin.explain(first.id()).await.unwrap();
    assert!(told.to_string().contains("it is cancelled since"), "{told}");
}
