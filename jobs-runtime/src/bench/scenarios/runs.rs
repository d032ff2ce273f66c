//! What it takes to run jobs that wait already, with and without steps.

use super::enqueue::fill;
use super::{Size, worker};
use crate::Error;
use crate::bench::jobs::{bench_noop, bench_steps};
use crate::bench::place::Place;
use crate::bench::sample::Sample;
use crate::definition::Job;
use crate::request::Request;
use crate::worker::Worker;

pub(super) async fn drain(place: &Place, jobs: usize) -> Result<Sample, Error> {
    work_off(place, jobs, jobs, bench_noop, |worker| worker).await
}

pub(super) async fn steps(place: &Place, size: &Size, steps: usize) -> Result<Sample, Error> {
    let request = |_| bench_steps(steps as u32);
    let in_flight = size.in_flight;
    let set_up = |worker: Worker| worker.concurrency(in_flight);
    work_off(place, size.runs(steps), size.steps(steps), request, set_up).await
}

/// The time of each step, and what a step costs the store.
pub(super) async fn alone(place: &Place, steps: usize) -> Result<Sample, Error> {
    let request = |_| bench_steps(steps as u32);
    let sample = work_off(place, 1, steps, request, |worker| worker).await?;
    let each = std::time::Duration::from_secs_f64(1.0 / sample.value);
    Ok(Sample::latency([each]).counted(sample.counts))
}

/// Stores so many jobs, and measures a worker until they have ended. Counts are for each of
/// `units`.
async fn work_off<J: Job>(
    place: &Place,
    jobs: usize,
    units: usize,
    request: impl Fn(u32) -> Request<J>,
    set_up: impl Fn(Worker) -> Worker,
) -> Result<Sample, Error> {
    let opened = place.open().await?;
    let idled = worker::idle(&opened.jobs).await;
    opened.close().await;
    idled?;
    let ((), idle) = place.counted(worker::idle).await?;
    let opened = place.open().await?;
    let filled = fill(&opened.jobs, jobs, request).await;
    opened.close().await;
    filled?;
    let work =
        async |store: &crate::client::Jobs| worker::until_ended(set_up(store.worker()), jobs).await;
    let (span, counts) = place.counted(work).await?;
    Ok(Sample::rate(units, span).counted(counts.each(idle, units)))
}
