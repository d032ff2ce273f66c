//! For tests of jobs: a store in memory, a clock that stands still, and a worker moved by hand.
//!
//! A [`Bench`] runs nothing by itself. Enqueue, let it run what is ready with [`Bench::drain`],
//! let time pass with [`Bench::advance`], and look at what came of it:
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
//! bench.drain().await?;
//! let early = bench.outcome(&handle).await.unwrap_err();
//! assert!(early.to_string().ends_with("the sleep \"think\" ends in 3d"));
//!
//! bench.advance(Duration::from_secs(4 * 24 * 3600)).await?;
//! assert_eq!(bench.outcome(&handle).await?, 42);
//! # Ok(()) }
//! ```
//!
//! | to say | write |
//! |---|---|
//! | run what is ready | [`Bench::drain`] |
//! | let three days pass | [`Bench::advance`] |
//! | let a task fire | [`Bench::task`] |
//! | run each job where it is enqueued | [`Bench::inline`] |
//! | this job was enqueued, that one was not | [`assert_enqueued!`](crate::assert_enqueued), [`refute_enqueued!`](crate::refute_enqueued) |
//! | this event was published | [`assert_published!`](crate::assert_published), [`Bench::published`] |
//! | this came of it | [`Bench::outcome`] |

mod drained;
mod enqueued;
mod inline;
mod macros;
mod outcome;
mod published;
mod workers;

pub(crate) use drained::Tally;
pub use drained::{Drained, Left};
pub use enqueued::Found;
pub use published::Seen;
pub(crate) use workers::Workers;

use crate::Error;
use crate::client::Jobs;
use crate::clock::{Clock, Env, SeededEntropy, VirtualClock};
use crate::contract::Driver;
use crate::definition::Task;
use crate::drivers::memory::Memory;
use crate::worker::Worker;
use std::sync::Arc;
use std::time::Duration;

/// A store, a clock and a worker for one test.
pub struct Bench {
    /// What the test enqueues with.
    jobs: Jobs,
    /// The same store, and enqueuing only stores.
    store: Jobs,
    clock: VirtualClock,
    /// Makes the workers, also those of the inline mode.
    workers: Arc<Workers>,
    is_inline: bool,
}

impl Default for Bench {
    fn default() -> Self {
        Bench::new()
    }
}

impl Bench {
    /// A store in memory, with the same random bits each time. Nothing runs until it is drained.
    #[must_use]
    pub fn new() -> Self {
        let clock = VirtualClock::default();
        let env = Env::new(clock.clone(), SeededEntropy::new(1));
        Bench::with_driver(Memory::new(env.clone()), env, clock)
    }

    /// A bench that runs each job where it is enqueued, before `enqueue` returns, and lets time
    /// pass for its sleeps. If the body fails, that is the error of the `enqueue`, and nothing is
    /// tried again. A job that waits for an event stays suspended: publish the event, then
    /// [`Bench::drain`].
    ///
    /// ```standalone_crate
    /// use jobs_runtime::prelude::*;
    /// use jobs_runtime::testing::Bench;
    ///
    /// #[job(idempotency = "inline-example:{input}")]
    /// async fn inline_example(input: i64) -> Result<i64> {
    ///     step!("think", sleep = "3d").await;
    ///     if input < 0 {
    ///         return Err(Failure::msg("there is no root"));
    ///     }
    ///     Ok(input.isqrt())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let bench = Bench::inline();
    /// let handle = inline_example(49).enqueue(bench.jobs()).await?;
    /// assert_eq!(bench.outcome(&handle).await?, 7);
    ///
    /// let refused = inline_example(-1).enqueue(bench.jobs()).await.unwrap_err();
    /// assert!(refused.to_string().contains("there is no root"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn inline() -> Self {
        let bench = Bench {
            is_inline: true,
            ..Bench::new()
        };
        bench.wired()
    }

    /// Another store, whose environment has `clock`.
    pub fn with_driver(driver: impl Driver, env: Env, clock: VirtualClock) -> Self {
        let store = Jobs::with_driver(driver, env);
        Bench {
            workers: Arc::new(Workers::new(&store, &clock)),
            jobs: store.clone(),
            store,
            clock,
            is_inline: false,
        }
    }

    /// Sets up each worker of this bench: states, queues, an observer.
    #[must_use]
    pub fn worker(self, setup: impl Fn(Worker) -> Worker + Send + Sync + 'static) -> Self {
        self.workers.set_up(setup);
        self
    }

    /// The same bench, with something between it and its store.
    #[must_use]
    pub fn hooked(mut self, hook: impl crate::StoreHook) -> Self {
        self.store = self.store.hooked(hook);
        self.workers = Arc::new(self.workers.on(&self.store));
        self.wired()
    }

    /// Lets one [`Bench::drain`] or [`Bench::advance`] run so many leases, instead of 10,000,
    /// before it gives up.
    #[must_use]
    pub fn limit_leases(self, leases: usize) -> Self {
        self.workers.limit_leases(leases);
        self
    }

    /// Makes the ticks of this task, in [`Bench::drain`] and [`Bench::advance`]; without it a bench
    /// makes none, so that a test has only the jobs it asked for. The first drain puts the task on
    /// its timetable, from the bench's time on. Schedules that a test makes at run time fire anyway.
    ///
    /// ```standalone_crate
    /// use jobs_runtime::prelude::*;
    /// use jobs_runtime::testing::Bench;
    /// use std::time::Duration;
    ///
    /// #[task(schedule = "0 3 * * *", tz = "Europe/Paris")]
    /// async fn bench_task_example(tick: Tick) -> Result<()> {
    ///     println!("the night of {}", tick.local()?);
    ///     Ok(())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let bench = Bench::new().task::<bench_task_example>();
    /// let three_days = bench.advance(Duration::from_secs(3 * 24 * 3600)).await?;
    /// assert_eq!(three_days.done().count(), 3);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn task<T: Task>(self) -> Self {
        self.workers.add_task(T::def());
        self
    }

    fn wired(mut self) -> Self {
        self.jobs = self.store.clone();
        if self.is_inline {
            self.jobs = self.jobs.inlined(Arc::clone(&self.workers));
        }
        self
    }

    /// The same bench, whose values are stored as this codec writes them.
    #[must_use]
    pub fn with_codec(mut self, codec: impl crate::codec::Codec) -> Self {
        self.store = self.store.with_codec(codec);
        self.workers = Arc::new(self.workers.on(&self.store));
        self.wired()
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

    /// Runs all that is ready now, to its end or its next suspension, and tells what came of it.
    ///
    /// ```standalone_crate
    /// # use jobs_runtime::prelude::*;
    /// # use jobs_runtime::testing::Bench;
    /// # #[job(idempotency = "drain-example:{input}", attempts = 1)]
    /// # async fn drain_example(input: u64) -> Result<u64> {
    /// #     if input > 1 { return Err(Failure::msg("too many")); }
    /// #     Ok(input)
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let bench = Bench::new();
    /// drain_example(1).enqueue(bench.jobs()).await?;
    /// drain_example(2).enqueue(bench.jobs()).await?;
    /// let drained = bench.drain().await?;
    /// assert_eq!(drained.leases(), 2);
    /// assert_eq!(drained.failed().count(), 1);
    /// println!("{drained}");
    /// # assert!(drained.to_string().contains("dead: too many"), "{drained}");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store fails, and `X_JOB_TIMEOUT` if there is no end to it (see
    /// [`Bench::limit_leases`]). A job whose state the worker was not given fails as a job, with
    /// `X_STATE_MISSING`.
    pub async fn drain(&self) -> Result<Drained, Error> {
        let drain = self.workers.make()?;
        drain.drain().await?;
        Ok(drain.take_drained())
    }

    /// Lets so much time pass, running each job when it is due, and tells what came of it.
    ///
    /// # Errors
    /// As [`Bench::drain`].
    pub async fn advance(&self, span: Duration) -> Result<Drained, Error> {
        let drain = self.workers.make()?;
        let end = self.clock.now().after(span.into());
        loop {
            match drain.drain().await? {
                Some(next) if next <= end => self.clock.advance_to(next),
                _ if self.clock.now() >= end => return Ok(drain.take_drained()),
                _ => self.clock.advance_to(end),
            }
        }
    }
}
