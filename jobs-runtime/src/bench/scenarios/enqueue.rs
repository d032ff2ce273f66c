//! What it takes to store jobs.

use crate::Error;
use crate::bench::broken;
use crate::bench::jobs::bench_noop;
use crate::bench::place::Place;
use crate::bench::sample::Sample;
use crate::bench::scenarios::BULK_JOBS;
use crate::client::Jobs;
use crate::definition::Job;
use crate::request::Request;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

pub(super) async fn one_by_one(place: &Place, jobs: usize, tasks: usize) -> Result<Sample, Error> {
    let each = (jobs / tasks).max(1);
    // What a caller has done before is not part of it: connected, and prepared its statements.
    let warm = async |store: &Jobs| spread(store, tasks, 1).await;
    let ((), idle) = place
        .counted(async |store| warm(store).await.map(|_| ()))
        .await?;
    let work = async |store: &Jobs| {
        warm(store).await?;
        spread(store, tasks, each).await
    };
    let (span, counts) = place.counted(work).await?;
    let jobs = each * tasks;
    Ok(Sample::rate(jobs, span).counted(counts.each(idle, jobs)))
}

/// So many enqueues in each of so many tasks.
async fn spread(store: &Jobs, tasks: usize, each: usize) -> Result<Duration, Error> {
    let start = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..tasks {
        let store = store.clone();
        running.spawn(async move {
            for n in 0..each {
                bench_noop(n as u32).enqueue(&store).await?;
            }
            Ok::<_, Error>(())
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.map_err(|error| broken(error, "run it again"))??;
    }
    Ok(start.elapsed())
}

pub(super) async fn bulk(place: &Place, calls: usize) -> Result<Sample, Error> {
    let warm = async |store: &Jobs| fill(store, BULK_JOBS, bench_noop).await;
    let ((), idle) = place.counted(warm).await?;
    let work = async |store: &Jobs| {
        warm(store).await?;
        let start = Instant::now();
        fill(store, calls * BULK_JOBS, bench_noop).await?;
        Ok(start.elapsed())
    };
    let (span, counts) = place.counted(work).await?;
    let jobs = calls * BULK_JOBS;
    Ok(Sample::rate(jobs, span).counted(counts.each(idle, jobs)))
}

/// Stores many jobs, [`BULK_JOBS`] in a call.
pub(super) async fn fill<J: Job>(
    store: &Jobs,
    jobs: usize,
    request: impl Fn(u32) -> Request<J>,
) -> Result<(), Error> {
    for first in (0..jobs).step_by(BULK_JOBS) {
        let those = first..(first + BULK_JOBS).min(jobs);
        let requests = those.map(|n| request(n as u32));
        for answer in store.enqueue_all(requests).await? {
            answer?;
        }
    }
    Ok(())
}
