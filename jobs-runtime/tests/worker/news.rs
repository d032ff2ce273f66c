//! News that a heartbeat brings while nobody waits for them.

use crate::leases::{Gate, worker};
use crate::support::{Faults, Log, memory, within};
use jobs_runtime::prelude::*;
use std::sync::Arc;
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "news-come", key = none)]
struct Come(u64);

/// Waits for news, and blocks its thread in one poll until they have come in.
#[job(idempotency = "blocked-hearer:{input}", allow = (raw_await))]
async fn blocked_hearer(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    let come = step!("come", event = Come, required);
    let block = async {
        gate.0.notified().await;
        let beats = log.count("store Heartbeat");
        log.add("blocks");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = { runtime }.enable_time().build().unwrap();
                runtime.block_on(within(log.saw("store Heartbeat", beats + 1)));
            });
        });
        // Time for the answer to be taken in; without it the test shows less, and does not fail.
        (0..10_000).for_each(|_| std::thread::yield_now());
    };
    let (come, ()) = tokio::join!(come, block);
    Ok(input + come?.0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_that_come_in_during_a_poll_let_the_run_go_on_after_it() {
    let (jobs, _) = memory();
    let (log, gate, stop) = (Log::default(), Gate::default(), Arc::new(Notify::new()));
    let jobs = jobs.hooked(Faults::log(&log));
    let handle = blocked_hearer(1).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a");
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    // The wait is stored: nothing of the run is on its way, and the clock stands still.
    let stored = async {
        let admin = jobs.admin();
        while admin
            .show(handle.id())
            .await
            .unwrap()
            .unwrap()
            .journal
            .is_empty()
        {
            tokio::task::yield_now().await;
        }
    };
    within(stored).await;
    gate.0.notify_one();
    within(log.saw("blocks", 1)).await;
    jobs.publish(Come(6), ()).await.unwrap();
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 7);
    stop.notify_one();
    within(task).await.unwrap().unwrap();
}
