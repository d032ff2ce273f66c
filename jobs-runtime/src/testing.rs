//! For tests of jobs: a store in memory, a clock that stands still, and a worker moved by hand.
//!
//! ```standalone_crate
//! use jobs_runtime::prelude::*;
//! use jobs_runtime::testing::Bench;
//! use std::time::Duration;
//!
//! #[job(idempotency = "testing-example:{input}")]
//! async fn testing_example(input: u64) -> Result<u64> {
//!     step!("think", sleep = "3d").await;
//!     Ok(input * 2)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let bench = Bench::new();
//! let handle = testing_example(21).enqueue(bench.jobs()).await?;
//! bench.advance(Duration::from_secs(4 * 24 * 3600)).await?;
//! assert_eq!(bench.jobs().wait(&handle).await?, 42);
//! # Ok(()) }
//! ```

use crate::Error;
use crate::client::Jobs;
use crate::clock::{Clock, Env, SeededEntropy, VirtualClock};
use crate::contract::Driver;
use crate::drivers::memory::Memory;
use crate::worker::Worker;
use std::time::Duration;

/// A store, a clock and a worker for one test.
pub struct Bench {
    jobs: Jobs,
    clock: VirtualClock,
    setup: Box<dyn Fn(Worker) -> Worker + Send + Sync>,
}

impl Default for Bench {
    fn default() -> Self {
        Bench::new()
    }
}

impl Bench {
    /// A store in memory, with the same random bits each time.
    #[must_use]
    pub fn new() -> Self {
        let clock = VirtualClock::default();
        let env = Env::new(clock.clone(), SeededEntropy::new(1));
        Bench::with_driver(Memory::new(env.clone()), env, clock)
    }

    /// Another store, whose environment has `clock`.
    pub fn with_driver(driver: impl Driver, env: Env, clock: VirtualClock) -> Self {
        Bench {
            jobs: Jobs::with_driver(driver, env),
            clock,
            setup: Box::new(|worker| worker),
        }
    }

    /// Sets up each worker of this bench: states, queues, an observer.
    #[must_use]
    pub fn worker(self, setup: impl Fn(Worker) -> Worker + Send + Sync + 'static) -> Self {
        Bench {
            setup: Box::new(setup),
            ..self
        }
    }

    /// The same bench, with something between it and its store.
    #[must_use]
    pub fn hooked(self, hook: impl crate::StoreHook) -> Self {
        Bench {
            jobs: self.jobs.hooked(hook),
            ..self
        }
    }

    /// The same bench, whose values are stored as this codec writes them.
    #[must_use]
    pub fn with_codec(self, codec: impl crate::codec::Codec) -> Self {
        Bench {
            jobs: self.jobs.with_codec(codec),
            ..self
        }
    }

    /// The client.
    #[must_use]
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &VirtualClock {
        &self.clock
    }

    /// Runs all that is ready now, to its end or its next suspension. Gives how many leases ran.
    ///
    /// # Errors
    /// If the store fails, and `X_JOB_TIMEOUT` if there is no end to it. A job whose state the
    /// worker was not given fails as a job, with `X_STATE_MISSING`.
    pub async fn drain(&self) -> Result<usize, Error> {
        let worker = (self.setup)(self.jobs.worker()).into_drain(self.clock.clone())?;
        Ok(worker.drain().await?.0)
    }

    /// Lets so much time pass, running each job when it is due. Gives how many leases ran.
    ///
    /// # Errors
    /// As [`Bench::drain`].
    pub async fn advance(&self, span: Duration) -> Result<usize, Error> {
        let worker = (self.setup)(self.jobs.worker()).into_drain(self.clock.clone())?;
        let end = self.clock.now().after(span.into());
        let mut leases = 0;
        loop {
            let (ran, next) = worker.drain().await?;
            leases += ran;
            match next {
                Some(next) if next <= end => self.clock.advance_to(next),
                _ if self.clock.now() >= end => return Ok(leases),
                _ => self.clock.advance_to(end),
            }
        }
    }
}
