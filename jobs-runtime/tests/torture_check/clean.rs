//! A real run of many kinds of jobs on the memory driver: nothing is wrong with it, and it shows
//! most of what there is to see.

use super::story::told;
use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::drivers::memory::Memory;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::torture::check::{Coverage, Report, Rules, check};
use jobs_runtime::torture::history::{Entry, Life};
use jobs_runtime::torture::log::{ClockStamps, Log, MemorySink};
use jobs_runtime::torture::recorder::{Recorder, dump, effect};
use jobs_runtime::{Error, Failure, JobContext, State};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "checked-paid", key = u64)]
struct Paid {
    cents: u64,
}

#[job(idempotency = "checked-order:{input}")]
async fn checked_order(input: u64, cx: JobContext, log: State<Log>) -> Result<u64> {
    let price = step!("price", effect(&log, &cx, "price", b"", works(input))).await?;
    let paid = step!("paid", event = Paid, key = input, timeout = "1d").await?;
    step!("rest", sleep = "1h").await;
    step!("ship", effect(&log, &cx, "ship", b"", works(input))).await?;
    Ok(price + paid.map_or(0, |paid| paid.cents))
}

#[job(
    idempotency = "checked-flaky:{input}",
    attempts = 3,
    backoff = "1s..1m"
)]
async fn checked_flaky(input: u64, cx: JobContext, log: State<Log>) -> Result<u64> {
    step!("first", effect(&log, &cx, "first", b"", works(input))).await?;
    let fails = cx.attempt() < 3 || input == 0;
    let second = step!(
        "second",
        effect(&log, &cx, "second", b"", may_fail(fails, input))
    )
    .await?;
    Ok(second)
}

#[job(idempotency = "checked-parent:{input}")]
async fn checked_parent(input: u64) -> Result<u64> {
    let child = step!("child", job = checked_flaky(input + 1000)).await?;
    Ok(child)
}

async fn works(input: u64) -> Result<u64> {
    Ok(input * 2)
}

async fn may_fail(fails: bool, input: u64) -> Result<u64> {
    if fails {
        return Err(Failure::msg("not today"));
    }
    Ok(input)
}

/// The history of a run of `size` jobs of each kind.
pub(crate) async fn history(size: u64) -> Result<Vec<Entry>, Error> {
    let clock = VirtualClock::default();
    let env = Env::new(clock.clone(), SeededEntropy::new(1));
    let memory = Arc::new(Memory::new(env.clone()));
    let sink = Arc::new(MemorySink::default());
    let life = Life {
        process: 1,
        incarnation: 1,
    };
    let stamps = Arc::new(ClockStamps(Arc::new(clock.clone())));
    let log = Log::new(life, stamps, sink.clone());
    let recorder = Recorder::new(memory.clone(), log.clone());
    let pen = log.clone();
    let bench =
        Bench::with_driver(recorder, env, clock).worker(move |worker| worker.state(pen.clone()));
    let jobs = bench.jobs();
    for n in 0..size {
        checked_order(n).enqueue(jobs).await?;
        checked_flaky(n).enqueue(jobs).await?;
        checked_parent(n).enqueue(jobs).await?;
    }
    let gone = checked_order(size).enqueue(jobs).await?;
    bench.drain().await?;
    checked_order(0).enqueue(jobs).await?;
    jobs.admin().cancel(gone.id()).await?;
    for n in 1..size {
        jobs.publish(Paid { cents: n }, n).await?;
    }
    bench.advance(Duration::from_secs(3 * 24 * 3600)).await?;
    dump(&log, &*memory).await?;
    Ok(sink.take())
}

pub(crate) fn checked(entries: &[Entry]) -> Report {
    check(entries, &Rules::default())
}

#[tokio::test]
async fn a_real_run_breaks_nothing_and_shows_what_there_is_to_see() {
    let report = checked(&history(5).await.unwrap());
    assert!(report.violations.is_empty(), "{}", told(&report));
    let least = Coverage {
        cancels: 1,
        children: 5,
        dead_letters: 1,
        done: 10,
        duplicates_refused: 1,
        effects: 30,
        effects_again: 10,
        enqueued: 10,
        events: 4,
        parked: 5,
        retries: 10,
        steps: 30,
        timed_out: 1,
        wakes_after_park: 4,
        ..Coverage::default()
    };
    assert_eq!(
        report.coverage.below(&least),
        [""; 0],
        "{:?}",
        report.coverage
    );
}
