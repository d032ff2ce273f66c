//! Real workers make ticks: each of them, together each tick once, and by the store's time.

use crate::support::{Fault, Faults, HOUR, task, ticks_by, ticks_of};
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

#[job(name = "worked-report", idempotency = none)]
async fn worked_report(input: u64) -> Result<u64> {
    Ok(input)
}

#[tokio::test]
async fn three_workers_notice_what_is_done_to_a_schedule_while_they_run() {
    let (jobs, clock) = memory();
    let workers = [(); 3].map(|()| start(jobs.worker()));
    let admin = jobs.admin();
    let step = Duration::from_secs(1);
    let made = async || ticks_by(&jobs, "worked-now").await.len();
    let set = admin.schedule("worked-now", "every 1m");
    set.set(worked_report(1)).await.unwrap();
    until(&clock, step, async || made().await >= 3).await;
    admin.pause_schedule("worked-now").await.unwrap();
    let before = made().await;
    pass(&clock, 5 * 60).await;
    assert_eq!(made().await, before);
    admin.resume_schedule("worked-now").await.unwrap();
    // Of those in the pause the newest is made, within the time that a change takes to be noticed.
    let noticed = u32::try_from(jobs_runtime::NOTICED_WITHIN.as_secs()).unwrap() + 1;
    pass(&clock, noticed).await;
    assert_eq!(made().await, before + 1);
    admin.remove_schedule("worked-now").await.unwrap();
    pass(&clock, 5 * 60).await;
    let ticks = ticks_by(&jobs, "worked-now").await;
    let mut once = ticks.clone();
    once.dedup();
    assert_eq!(once, ticks);
    assert!(ticks.len() <= before + 2);
    for (stop, worker) in workers {
        stop.notify_one();
        worker.await.unwrap().unwrap();
    }
}

/// Lets so many seconds pass.
async fn pass(clock: &VirtualClock, seconds: u32) {
    for _ in 0..seconds {
        clock.advance(Duration::from_secs(1));
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
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
