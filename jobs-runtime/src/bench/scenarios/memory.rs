//! Memory of the process: beside a backlog, and with many runs in flight. On the memory store it is
//! the store's own as well.

use super::enqueue::fill;
use super::worker::{self, Sign};
use crate::Error;
use crate::bench::broken;
use crate::bench::jobs::{bench_hold, bench_noop, release};
use crate::bench::place::Place;
use crate::bench::sample::{Sample, memory_kib};
use std::time::Duration;

/// Long enough that no job of a backlog falls due meanwhile.
const LATER: Duration = Duration::from_secs(24 * 3_600);

pub(super) async fn waiting(place: &Place, jobs: usize) -> Result<Sample, Error> {
    let opened = place.open().await?;
    let filled = fill(&opened.jobs, jobs, |n| bench_noop(n).delay(LATER)).await;
    opened.close().await;
    filled?;
    let opened = place.open().await?;
    // One that does not wait, so that the worker has surely begun.
    let mut working = worker::start(opened.jobs.worker(), Sign::Ended, 1);
    bench_noop(0).enqueue(&opened.jobs).await?;
    working.reached().await?;
    let kib = memory();
    working.stop().await?;
    opened.close().await;
    Ok(Sample::mebibytes(kib?))
}

pub(super) async fn running(place: &Place, runs: usize) -> Result<Sample, Error> {
    let opened = place.open().await?;
    fill(&opened.jobs, runs, bench_hold).await?;
    let worker = opened.jobs.worker().concurrency(runs);
    let mut working = worker::start(worker, Sign::StepStarted, runs);
    working.reached().await?;
    let kib = memory();
    release(runs);
    working.stop().await?;
    opened.close().await;
    Ok(Sample::mebibytes(kib?))
}

fn memory() -> Result<u64, Error> {
    let fix = "measure it on a system that has /proc";
    memory_kib().ok_or_else(|| broken("the system does not tell the memory of a process", fix))
}
