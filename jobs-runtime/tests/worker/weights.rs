//! Queues with weights: what a flood of urgent work elsewhere cannot starve.

use crate::support::{Log, memory, within};
use jobs_runtime::prelude::*;
use std::sync::Arc;
use tokio::sync::Notify;

#[job(idempotency = "weighted:{input.0}:{input.1}")]
async fn weighted(input: (String, u64), log: State<Log>) -> Result<()> {
    step!("run", {
        log.add(format!("ran {}", input.0));
        log.add("ran");
        Ok(())
    })
    .await?;
    Ok(())
}

async fn enqueue(jobs: &Jobs, queue: &str, count: u64, priority: u8) {
    let request = |n| {
        let job = weighted((queue.to_owned(), n));
        job.queue(queue).priority(priority)
    };
    for handle in jobs.enqueue_all((0..count).map(request)).await.unwrap() {
        handle.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_has_its_share_of_a_worker_whatever_the_priorities_are() {
    let (jobs, _clock) = memory();
    let (log, stop) = (Log::default(), Arc::new(Notify::new()));
    enqueue(&jobs, "urgent", 40, 0).await;
    enqueue(&jobs, "patient", 10, 9).await;
    let until = Arc::clone(&stop);
    let worker = jobs.worker().concurrency(1);
    let worker = worker
        .queue_weighted("urgent", 3)
        .queue_weighted("patient", 1);
    let worker = worker
        .state(log.clone())
        .state(crate::leases::Gate::default());
    let task = tokio::spawn(worker.run_until(async move { until.notified().await }));
    within(log.saw("ran", 50)).await;
    stop.notify_one();
    within(task).await.unwrap().unwrap();
    let ran: Vec<String> = log
        .lines()
        .into_iter()
        .filter(|it| it.starts_with("ran "))
        .collect();
    let patient = ran[..20].iter().filter(|it| *it == "ran patient").count();
    assert_eq!(patient, 5, "{ran:?}");
}
