//! Real workers make ticks: each of them, together each tick once, and by the store's time.

use crate::support::{Fault, Faults, HOUR, task, ticks_of};
use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::drivers::memory::Memory;
use jobs_runtime::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

#[task(every = "1h")]
async fn worked_hourly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn memory() -> (Jobs, VirtualClock) {
    let clock = VirtualClock::default();
    let env = Env::new(clock.clone(), SeededEntropy::new(3));
    (Jobs::with_driver(Memory::new(env.clone()), env), clock)
}

/// Moves time on until the condition holds. Real time only ends a test that hangs.
async fn until(clock: &VirtualClock, step: Duration, holds: impl AsyncFn() -> bool) {
    let hangs = tokio::time::timeout(Duration::from_secs(60), async {
        while !holds().await {
            clock.advance(step);
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
        }
    });
    hangs.await.unwrap();
}

fn start(worker: jobs_runtime::Worker) -> (Arc<Notify>, tokio::task::JoinHandle<Result<()>>) {
    let stop = Arc::new(Notify::new());
    let signal = Arc::clone(&stop);
    let running = worker.run_until(async move { signal.notified().await });
    (stop, tokio::spawn(running))
}

#[tokio::test]
async fn three_workers_make_each_tick_once() {
    let (jobs, clock) = memory();
    let workers = [(); 3].map(|()| start(jobs.worker()));
    until(&clock, Duration::from_secs(30), async || {
        ticks_of(&jobs, "worked_hourly").await.len() >= 5
    })
    .await;
    let ticks = ticks_of(&jobs, "worked_hourly").await;
    let mut once = ticks.clone();
    once.dedup();
    assert_eq!(once, ticks);
    assert!(task(&jobs, "worked_hourly").await.skipped.is_empty());
    for (stop, worker) in workers {
        stop.notify_one();
        worker.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_worker_without_schedules_leaves_ticks_to_others() {
    let (jobs, clock) = memory();
    let (stop, worker) = start(jobs.worker().without_schedules());
    for _ in 0..20 {
        clock.advance(HOUR / 4);
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    assert!(task(&jobs, "worked_hourly").await.next.is_empty());
    stop.notify_one();
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn b65_a_worker_that_began_without_its_store_makes_ticks_when_it_is_there() {
    let (jobs, clock) = memory();
    let faults = Faults::default();
    faults.plan(1, Fault::Before);
    let (stop, worker) = start(jobs.clone().hooked(faults).worker());
    until(&clock, Duration::from_secs(10), async || {
        ticks_of(&jobs, "worked_hourly").await.len() >= 2
    })
    .await;
    stop.notify_one();
    worker.await.unwrap().unwrap();
}
