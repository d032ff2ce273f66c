//! What people see of a full store, and how long it takes.

use super::enqueue::fill;
use crate::Error;
use crate::bench::jobs::bench_noop;
use crate::bench::place::Place;
use crate::bench::sample::Sample;
use crate::client::Jobs;
use crate::contract::JobFilter;
use std::time::Instant;

/// Jobs of one page.
const PAGE_JOBS: usize = 100;
/// Looks, at most: each is the same.
const LOOK_LIMIT: usize = 20;

pub(super) async fn stats(place: &Place, jobs: usize, looks: usize) -> Result<Sample, Error> {
    looked(place, jobs, looks, async |store| {
        store.admin().stats().await.map(|_| ())
    })
    .await
}

pub(super) async fn list(place: &Place, jobs: usize, looks: usize) -> Result<Sample, Error> {
    let filter = JobFilter::default();
    looked(place, jobs, looks, async |store| {
        let page = store.admin().list(&filter, None, PAGE_JOBS).await;
        page.map(|_| ())
    })
    .await
}

async fn looked(
    place: &Place,
    jobs: usize,
    looks: usize,
    look: impl AsyncFn(&Jobs) -> Result<(), Error>,
) -> Result<Sample, Error> {
    let opened = place.open().await?;
    fill(&opened.jobs, jobs, bench_noop).await?;
    look(&opened.jobs).await?;
    let mut spans = Vec::new();
    for _ in 0..looks.min(LOOK_LIMIT) {
        let start = Instant::now();
        look(&opened.jobs).await?;
        spans.push(start.elapsed());
    }
    opened.close().await;
    Ok(Sample::latency(spans))
}
