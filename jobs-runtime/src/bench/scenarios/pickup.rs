//! How soon a worker begins: with a job that has just come, and with a run that goes on.

use super::worker::{self, Sign};
use crate::Error;
use crate::bench::broken;
use crate::bench::jobs::{BenchGo, bench_noop, bench_replay, passing};
use crate::bench::place::Place;
use crate::bench::sample::Sample;
use crate::client::Jobs;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The pause between two, so that the worker is idle.
const PAUSE: Duration = Duration::from_millis(5);
/// Times that a run is resumed; the median counts.
const REPLAYS: usize = 3;

pub(super) async fn latencies(place: &Place, times: usize) -> Result<Sample, Error> {
    let work = async |store: &Jobs| {
        let mut working = worker::start(store.worker(), Sign::Ended, times);
        let mut spans = Vec::with_capacity(times);
        for n in 0..times {
            tokio::time::sleep(PAUSE).await;
            let passing = passing();
            let start = Instant::now();
            bench_noop(n as u32).enqueue(store).await?;
            spans.push(passed(passing).await?.saturating_duration_since(start));
        }
        working.reached().await?;
        working.stop().await?;
        Ok(spans)
    };
    let (spans, counts) = place.counted(work).await?;
    let idle = super::super::counts::Counts::default();
    Ok(Sample::latency(spans).counted(counts.each(idle, times)))
}

/// What so many recorded steps add to the time from the event that a run waits for to the line
/// after the wait.
pub(super) async fn replay(place: &Place, steps: usize) -> Result<Sample, Error> {
    let opened = place.open().await?;
    let mut spans = Vec::with_capacity(REPLAYS);
    let measured = async {
        for n in 0..REPLAYS {
            let short = resumed(&opened.jobs, 1 + n).await?;
            let long = resumed(&opened.jobs, steps + n).await?;
            spans.push(long.saturating_sub(short));
        }
        Ok::<_, Error>(())
    };
    let measured = measured.await;
    opened.close().await;
    measured?;
    Ok(Sample::latency(spans))
}

async fn resumed(store: &Jobs, steps: usize) -> Result<Duration, Error> {
    let steps = steps as u32;
    let mut working = worker::start(store.worker(), Sign::Suspended, 1);
    bench_replay(steps).enqueue(store).await?;
    working.reached().await?;
    let passing = passing();
    let start = Instant::now();
    store.publish(BenchGo {}, steps).await?;
    let passed = passed(passing).await?;
    working.stop().await?;
    Ok(passed.saturating_duration_since(start))
}

async fn passed(passing: oneshot::Receiver<Instant>) -> Result<Instant, Error> {
    let passed = passing.await;
    passed.map_err(|_| broken("two measurements wait for one body", "run it again"))
}
