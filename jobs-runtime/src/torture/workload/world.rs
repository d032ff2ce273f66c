//! The world outside of the store, as one life of a process touches it: effects that are written
//! down where they happen, work that takes time, and luck.
//!
//! The jobs of the workload ask for no `State`, so that a program which links them without running
//! them has nothing to give; a body finds its world here instead. In a process of its own the
//! world is installed once. In a simulator many processes share a thread, and the one that is
//! being polled has its world entered.

use super::choices::Choices;
use crate::clock::Clock;
use crate::torture::log::Log;
use crate::torture::recorder::effect;
use crate::{Failure, JobContext, Jobs};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

thread_local! {
    static ENTERED: RefCell<Option<Arc<World>>> = const { RefCell::new(None) };
}

static INSTALLED: OnceLock<Arc<World>> = OnceLock::new();

/// One process's view of the world.
pub struct World {
    log: Log,
    clock: Arc<dyn Clock>,
    jobs: Jobs,
    luck: Mutex<Choices>,
}

impl World {
    /// A world whose effects go to this log. `jobs` is what bodies publish with, and whose clock
    /// their work is timed by; `luck` decides what fails by chance.
    #[must_use]
    pub fn new(log: Log, jobs: Jobs, luck: Choices) -> Self {
        World {
            log,
            clock: Arc::clone(&jobs.store().env.clock),
            jobs,
            luck: Mutex::new(luck),
        }
    }

    /// Makes this the world of the whole process. The first one counts.
    pub fn install(self: Arc<Self>) {
        // A second world would be a mistake of the harness, and would show as one in its history.
        drop(INSTALLED.set(self));
    }

    /// Does `work` in this world: for simulators, each time that they poll the process.
    pub fn enter<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let before = ENTERED.replace(Some(Arc::clone(self)));
        let done = work();
        ENTERED.set(before);
        done
    }

    /// The world that this code runs in.
    ///
    /// # Errors
    /// If there is none: the jobs of the workload run under a harness only.
    pub fn current() -> Result<Arc<World>, Failure> {
        let entered = ENTERED.with_borrow(Clone::clone);
        entered
            .or_else(|| INSTALLED.get().cloned())
            .ok_or_else(|| Failure::msg("this job runs under a torture harness only").fatal())
    }

    /// What this process enqueues and publishes with.
    #[must_use]
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// True in so many of a thousand cases, other ones each time.
    pub fn per_mille(&self, cases: u64) -> bool {
        let mut luck = self.luck.lock().unwrap_or_else(PoisonError::into_inner);
        luck.per_mille(cases)
    }

    /// An effect of a step, the time it takes, and how its step ends.
    ///
    /// # Errors
    /// Those of `end`.
    pub async fn touch<T>(
        &self,
        job: &JobContext,
        step: &str,
        millis: u64,
        hash: u64,
        end: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let work = async {
            self.pass(millis).await;
            end.await
        };
        effect(&self.log, job, step, &hash.to_le_bytes(), work).await
    }

    /// Lets so many milliseconds pass.
    pub async fn pass(&self, millis: u64) {
        if millis > 0 {
            self.clock.sleep(Duration::from_millis(millis)).await;
        }
    }
}
