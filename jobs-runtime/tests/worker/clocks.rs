//! What a worker believes of the store's time, when calls are long on their way.

use crate::leases::Gate;
use crate::support::{Log, memory};
use jobs_runtime::clock::{Clock, Sleeping, VirtualClock};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::{StoreHook, Verb};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Heartbeats that are let through: a worker that asks more often asks without end.
const HEARTBEATS: usize = 50;
/// How long a claim is on its way to the store.
const WAY: Duration = Duration::from_secs(3);

/// Claims take long to arrive; heartbeats are counted.
#[derive(Clone)]
struct LongWay {
    clock: VirtualClock,
    heartbeats: Arc<AtomicUsize>,
}

impl StoreHook for LongWay {
    fn delay_before(&self, verb: Verb) -> Option<Sleeping> {
        (verb == Verb::Claim).then(|| self.clock.sleep(WAY))
    }

    fn before(&self, verb: Verb) -> Result<(), Error> {
        let count = &self.heartbeats;
        if verb == Verb::Heartbeat && count.fetch_add(1, Ordering::Relaxed) >= HEARTBEATS {
            return Err(Error::driver_unavailable("test", "enough", "wait"));
        }
        Ok(())
    }
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "never-published", key = none)]
struct NeverPublished;

#[job(idempotency = "short-wait:{input}")]
async fn short_wait(input: u64) -> Result<u64> {
    step!("wait", event = NeverPublished, timeout = "900ms").await?;
    Ok(input)
}

#[tokio::test]
async fn i7_a_claim_that_was_long_on_its_way_does_not_put_the_worker_ahead_of_the_store() {
    let (jobs, clock) = memory();
    let hook = LongWay {
        clock: clock.clone(),
        heartbeats: Arc::default(),
    };
    let handle = short_wait(1).enqueue(&jobs).await.unwrap();
    let worker = jobs.clone().hooked(hook.clone()).worker();
    let worker = worker.state(Log::default()).state(Gate::default());
    let worker = tokio::spawn(worker.without_thread().run_until(std::future::pending()));
    let mut ended = false;
    for _ in 0..100 {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        let job = jobs.admin().show(handle.id()).await.unwrap().unwrap().job;
        ended = job.head.state == JobState::Done;
        if ended {
            break;
        }
        clock.advance(Duration::from_millis(100));
    }
    worker.abort();
    assert!(ended, "the wait has a deadline");
    let asked = hook.heartbeats.load(Ordering::Relaxed);
    assert!(asked < 5, "the inbox was asked for {asked} times");
}
