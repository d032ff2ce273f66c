//! Many children of one run, on a store that counts its writes.

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{StoreHook, Verb};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the calls that are one durable write each.
#[derive(Clone, Default)]
struct Writes(Arc<AtomicUsize>);

impl StoreHook for Writes {
    fn after(&self, verb: Verb) -> Result<(), Error> {
        if matches!(verb, Verb::Commit | Verb::Enqueue) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

#[job(idempotency = "one-of-many:{input.0}:{input.1}", queue = "children")]
async fn one_of_many(input: (u64, u64)) -> Result<u64> {
    Ok(step!("double", async { Ok::<_, Failure>(2 * input.1) }).await?)
}

#[job(idempotency = "mother-of-many:{input}", queue = "parents")]
async fn mother_of_many(input: u64) -> Result<Vec<u64>> {
    let children = (0..input).map(|k| step!("child:{k}", job = move one_of_many((input, k))));
    let doubled = futures::future::join_all(children).await;
    Ok(doubled.into_iter().collect::<Result<_, _>>()?)
}

#[tokio::test]
async fn a_thousand_children_are_enqueued_in_less_than_twenty_durable_writes() {
    let folder = tempfile::tempdir().unwrap();
    let clock = VirtualClock::default();
    let env = Env::new(clock.clone(), SeededEntropy::new(3));
    let options = SqliteOptions::default().env(env.clone());
    let store = Sqlite::open(&folder.path().join("jobs.db"), options).await;
    let bench = Bench::with_driver(store.unwrap(), env, clock);
    let writes = Writes::default();
    let bench = bench
        .hooked(writes.clone())
        .worker(|worker| worker.queue("parents"));
    let handle = mother_of_many(1_000).enqueue(bench.jobs()).await.unwrap();
    let before = writes.0.load(Ordering::SeqCst);
    assert_eq!(bench.drain().await.unwrap().leases(), 1);
    let taken = writes.0.load(Ordering::SeqCst) - before;
    assert!(taken < 20, "{taken} writes");
    let stats = bench.jobs().admin().stats().await.unwrap();
    let children = stats.iter().find(|queue| queue.queue == "children");
    assert_eq!(children.map(|queue| queue.ready), Some(1_000));

    // Nothing is due but what the children bring about.
    let bench = bench.worker(|worker| worker.concurrency(200));
    bench.drain().await.unwrap();
    let doubled = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(doubled, (0..1_000).map(|k| 2 * k).collect::<Vec<_>>());
    bench.jobs().close().await;
}
