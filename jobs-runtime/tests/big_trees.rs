//! A large tree of jobs, most of them parked and some in the middle of their steps, is cancelled
//! while others use the store: nothing of it is recorded once the cancel has returned.
//!
//! `JOBS_TREE_WIDTH` says how many children each inner job has: the tree has that often itself,
//! and once more, and one. With `--no-capture` it says what the cancel cost.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it measured"
)]

use futures::future::join_all;
use jobs_runtime::JobId;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::{Job as Row, State as JobState};
use jobs_runtime::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Children of each inner job unless somebody asks for more.
const WIDTH: u64 = 12;

fn width() -> u64 {
    let asked = std::env::var("JOBS_TREE_WIDTH").ok();
    asked.map_or(WIDTH, |width| width.parse().unwrap())
}

/// Has a permit for each leaf that has come to its place.
#[derive(Clone)]
struct Arrived(Arc<Semaphore>);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Leaf {
    inner: u64,
    leaf: u64,
}

#[job(name = "tree-leaf", idempotency = "leaf:{input.inner}:{input.leaf}")]
async fn leaf(input: Leaf, arrived: State<Arrived>) -> Result<()> {
    // The first leaf of each inner job records one step after the other.
    if input.leaf == 0 {
        arrived.0.add_permits(1);
        for n in 0..100_000 {
            step!("work:{n}", async { Ok::<_, Failure>(n) }).await?;
        }
    }
    step!("arrive", async {
        arrived.0.add_permits(1);
        Ok::<_, Failure>(())
    })
    .await?;
    step!("rest", sleep = "30d").await;
    Ok(())
}

#[job(name = "tree-inner", idempotency = "inner:{input.0}")]
async fn inner(input: (u64, u64)) -> Result<()> {
    let leaves = (0..input.1).map(|n| {
        step!(
            "leaf:{n}",
            job = move leaf(Leaf {
                inner: input.0,
                leaf: n
            })
        )
    });
    for ended in join_all(leaves).await {
        ended?;
    }
    Ok(())
}

#[job(name = "tree-root", idempotency = "root:{input}")]
async fn root(input: u64) -> Result<()> {
    let inner = (0..input).map(|n| step!("inner:{n}", job = move inner((n, input))));
    for ended in join_all(inner).await {
        ended?;
    }
    Ok(())
}

#[job(name = "tree-stranger", idempotency = none)]
async fn stranger(input: u64) -> Result<u64> {
    Ok(input)
}

/// Enqueues one job after the other until told to stop, and gives the longest time that one took.
async fn others(jobs: Jobs, stop: Arc<AtomicBool>) -> Duration {
    let mut longest = Duration::ZERO;
    while !stop.load(Ordering::SeqCst) {
        let begun = Instant::now();
        let later = stranger(1).delay(Duration::from_secs(3600));
        later.enqueue(&jobs).await.unwrap();
        longest = longest.max(begun.elapsed());
    }
    longest
}

async fn all(jobs: &Jobs, name: &str) -> Vec<Row> {
    let filter = JobFilter {
        name: Some(name.into()),
        ..JobFilter::default()
    };
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = jobs.admin().list(&filter, after, 1000).await.unwrap();
        rows.extend(page.jobs);
        after = page.next;
        if after.is_none() {
            return rows;
        }
    }
}

async fn records(jobs: &Jobs, ids: &[JobId]) -> Vec<usize> {
    let mut counts = Vec::new();
    for id in ids {
        let view = jobs.admin().show(*id).await.unwrap().unwrap();
        counts.push(view.journal.len());
    }
    counts
}

async fn play(jobs: Jobs) {
    let width = width();
    let arrived = Arrived(Arc::new(Semaphore::new(0)));
    let tree = root(width).enqueue(&jobs).await.unwrap();
    let worker = jobs
        .worker()
        .state(arrived.clone())
        .concurrency(width as usize + 50);
    let cancel = async {
        let leaves = u32::try_from(width * width).unwrap();
        drop(arrived.0.acquire_many(leaves).await.unwrap());
        let busy: Vec<JobId> = all(&jobs, "tree-leaf")
            .await
            .iter()
            .filter(|job| job.head.state == JobState::Running)
            .map(|job| job.spec.id)
            .collect();
        assert!(!busy.is_empty(), "some are in the middle of their steps");
        let stop = Arc::new(AtomicBool::new(false));
        let others = tokio::spawn(others(jobs.clone(), Arc::clone(&stop)));
        let begun = Instant::now();
        jobs.admin().cancel(tree.id()).await.unwrap();
        let took = begun.elapsed();
        stop.store(true, Ordering::SeqCst);
        let longest = others.await.unwrap();
        let rows = 1 + width + width * width;
        eprintln!("{rows} jobs cancelled in {took:.1?}; others waited {longest:.1?} at most");
        (busy.clone(), records(&jobs, &busy).await)
    };
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let stopping = async {
        let _ = sender.send(cancel.await);
    };
    worker.run_until(stopping).await.unwrap();
    let (busy, before) = receiver.await.unwrap();
    assert_eq!(records(&jobs, &busy).await, before, "no step came after it");
    for name in ["tree-root", "tree-inner", "tree-leaf"] {
        let rows = all(&jobs, name).await;
        let live = rows.iter().find(|row| row.head.state.is_live());
        assert!(live.is_none(), "{live:?}");
        let cancelled = |row: &Row| row.head.state == JobState::Cancelled;
        assert!(rows.iter().all(cancelled));
    }
    jobs.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i10_a_large_tree_in_memory_is_cancelled_at_once() {
    play(Jobs::connect("memory://").await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i10_a_large_tree_in_a_file_is_cancelled_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", dir.path().join("tree.db").display());
    play(Jobs::connect(&url).await.unwrap()).await;
}
