//! A store in memory: the model and a mutex.
//!
//! Everything is lost with the process. Under virtual time it is what users' tests run on, and
//! what every other driver is compared with, so it prefers the plain way to the fast one.

mod apart;
mod inspect;
mod prune;
mod stats;
#[cfg(test)]
mod tests;

use super::model::Store;
use crate::Error;
use crate::clock::Env;
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, Durability, EnqueueAnswer, Inspect,
    PruneBounds, Pruned, Published, QueueStats, Setting, SettingWrite, WakeUp, WakeUps,
    check_claim, check_event,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use crate::torture::seeded;
use async_trait::async_trait;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// The largest payload unless another limit is asked for, in bytes.
pub const DEFAULT_PAYLOAD_LIMIT_BYTES: usize = 1024 * 1024;

/// The largest payload limit that can be asked for, in bytes.
pub const MAX_PAYLOAD_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// Hints that a slow reader may be behind before it loses the oldest.
const WAKE_UP_CAPACITY: usize = 64;

/// A store in the memory of this process.
pub struct Memory {
    env: Env,
    capabilities: Capabilities,
    store: Mutex<Store>,
    wake_ups: broadcast::Sender<WakeUp>,
}

impl Memory {
    /// An empty store with this clock and these random bits.
    #[must_use]
    pub fn new(env: Env) -> Self {
        Memory {
            env,
            capabilities: Capabilities {
                driver: "memory",
                durability: Durability::None,
                ordered_claim: true,
                exact_stats: true,
                indexed_lists: true,
                transactional: false,
                shared: false,
                payload_limit: DEFAULT_PAYLOAD_LIMIT_BYTES,
            },
            store: Mutex::default(),
            wake_ups: broadcast::Sender::new(WAKE_UP_CAPACITY),
        }
    }

    /// The same store, which takes payloads of up to so many bytes, at most
    /// [`MAX_PAYLOAD_LIMIT_BYTES`].
    #[must_use]
    pub fn with_payload_limit(mut self, bytes: usize) -> Self {
        self.capabilities.payload_limit = bytes.min(MAX_PAYLOAD_LIMIT_BYTES);
        self
    }

    /// The store, locked. A panic under the lock cannot come from the code under it, so what a
    /// poisoned lock guards is whole.
    fn open(&self) -> Result<MutexGuard<'_, Store>, Error> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if store.is_closed() {
            return Err(Error::driver_unavailable(
                "memory",
                "it was closed",
                "keep the store open for as long as anything uses it",
            ));
        }
        Ok(store)
    }

    fn time(&self, now: Option<Timestamp>) -> Timestamp {
        now.unwrap_or_else(|| self.env.clock.now())
    }

    /// Runs one verb under the lock, and gives out the hints it left behind.
    fn within<T>(
        &self,
        now: Option<Timestamp>,
        verb: impl FnOnce(&mut Store, Timestamp) -> T,
    ) -> Result<T, Error> {
        let mut store = self.open()?;
        let answer = verb(&mut store, self.time(now));
        let hints = store.take_hints();
        drop(store);
        for hint in hints {
            // Nobody listens: nobody needs to be told.
            drop(self.wake_ups.send(hint));
        }
        Ok(answer)
    }
}

#[async_trait]
impl Driver for Memory {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn migrate(&self) -> Result<(), Error> {
        Ok(())
    }

    async fn enqueue(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        self.within(now, |store, now| {
            jobs.iter()
                .map(|job| store.enqueue(job, &self.capabilities, now))
                .collect()
        })
    }

    async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        check_claim(claim)?;
        self.within(claim.now, |store, now| store.claim(claim, now))
    }

    async fn commit(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        if commits.iter().any(seeded::takes_apart) {
            return self.commit_apart(commits, now).await;
        }
        self.within(now, |store, now| {
            commits
                .iter()
                .map(|commit| store.commit(commit, &self.capabilities, now))
                .collect()
        })
    }

    async fn heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error> {
        self.within(now, |store, now| {
            beats
                .iter()
                .map(|beat| store.heartbeat(beat, now))
                .collect()
        })
    }

    async fn publish(
        &self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        for event in events {
            check_event(event, &self.capabilities)?;
        }
        self.within(now, |store, now| {
            events
                .iter()
                .map(|event| store.publish(event, now))
                .collect()
        })
    }

    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
        self.within(now, |store, now| store.stats(now))
    }

    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        Ok(self.open()?.settings(prefix))
    }

    async fn write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error> {
        self.within(now, |store, now| {
            store.write_setting(write, &self.capabilities, now)
        })?
    }

    async fn prune(&self, bounds: &PruneBounds, now: Option<Timestamp>) -> Result<Pruned, Error> {
        self.within(now, |store, now| store.prune(bounds, now))
    }

    fn wake_ups(&self) -> WakeUps {
        self.wake_ups.subscribe()
    }

    fn inspect(&self) -> &dyn Inspect {
        self
    }

    async fn close(&self) {
        if let Ok(mut store) = self.open() {
            store.close();
        }
    }
}
