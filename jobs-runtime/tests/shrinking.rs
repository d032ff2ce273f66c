//! A file of the store shrinks when retention has removed what made it large, and others go on
//! writing meanwhile.
//!
//! `JOBS_SHRINK_JOBS` says how many ended jobs of 16 kB there are; with `--no-capture` it says what
//! their removal cost.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it measured"
)]

use jobs_runtime::prelude::*;
use jobs_runtime::{Keep, Retention};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ended jobs unless somebody asks for more.
const JOBS: usize = 1_000;
/// What each of them holds.
const INPUT_BYTES: usize = 16_000;
/// Ended jobs that are kept.
const KEPT: u64 = 10;

#[job(name = "shrunk", idempotency = none)]
async fn shrunk(input: String) -> Result<usize> {
    Ok(input.len())
}

fn count() -> usize {
    let asked = std::env::var("JOBS_SHRINK_JOBS").ok();
    asked.map_or(JOBS, |jobs| jobs.parse().unwrap())
}

/// The size of the file once its log is in it.
fn size(path: &Path) -> u64 {
    let file = rusqlite::Connection::open(path).unwrap();
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    file.query_row(checkpoint, [], |_| Ok(())).unwrap();
    path.metadata().unwrap().len()
}

async fn fill(jobs: &Jobs, count: usize) {
    let mut handles = Vec::new();
    for _ in 0..count.div_ceil(100) {
        let batch = (0..100).map(|_| shrunk("x".repeat(INPUT_BYTES)));
        handles.extend(jobs.enqueue_all(batch).await.unwrap());
    }
    let ended = async {
        for handle in &handles {
            jobs.wait(handle.as_ref().unwrap()).await.unwrap();
        }
    };
    let worker = jobs.worker().concurrency(100);
    worker.run_until(ended).await.unwrap();
}

/// Enqueues one job after the other until told to stop, and gives the longest time that one took.
async fn others(jobs: Jobs, stop: Arc<AtomicBool>) -> Duration {
    let mut longest = Duration::ZERO;
    while !stop.load(Ordering::SeqCst) {
        let begun = Instant::now();
        let later = shrunk(String::new()).delay(Duration::from_secs(3600));
        later.enqueue(&jobs).await.unwrap();
        longest = longest.max(begun.elapsed());
    }
    longest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_shrinks_when_retention_has_removed_what_filled_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shrink.db");
    let url = format!("sqlite://{}", path.display());
    let jobs = Jobs::connect(&url).await.unwrap();
    let count = count();
    fill(&jobs, count).await;
    let before = size(&path);
    assert!(before > (count * INPUT_BYTES) as u64, "{before} bytes");
    let stop = Arc::new(AtomicBool::new(false));
    let others = tokio::spawn(others(jobs.clone(), Arc::clone(&stop)));
    let begun = Instant::now();
    let retention = Retention::new()
        .done(Keep::newest(KEPT))
        .at_least(Duration::ZERO);
    let pruned = jobs.admin().sweep(&retention).await.unwrap();
    let took = begun.elapsed();
    stop.store(true, Ordering::SeqCst);
    let longest = others.await.unwrap();
    let after = size(&path);
    eprintln!(
        "{} jobs removed in {took:.1?}; {before} bytes before and {after} after; others waited \
         {longest:.1?} at most",
        pruned.jobs
    );
    assert_eq!(pruned.jobs, count as u64 - KEPT);
    assert!(pruned.freed_bytes > before / 2, "{pruned:?}");
    assert!(after < before / 5, "{before} bytes before, {after} after");
    jobs.close().await;
}
