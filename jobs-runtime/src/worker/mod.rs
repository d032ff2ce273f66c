//! A worker: takes jobs from the store and runs them.
//!
//! [`poller`] claims, [`executor`] runs one lease, [`leases`] keeps all of them alive on a thread
//! of its own. A worker claims only what it has free slots for.

mod drain;
mod executor;
mod leases;
mod limits;
mod observe;
mod panic;
mod poller;
mod polling;
mod shutdown;

pub(crate) use drain::Drain;
pub(crate) use leases::Leases;
pub(crate) use observe::Observer;
pub use observe::{RunEvent, RunRef};

use crate::client::Jobs;
use crate::committer::Committer;
use crate::core::{Backoff, Millis, Shares};
use crate::registry::Registry;
use crate::retention::{self, Retention};
use crate::schedule::{self, Scheduler, StoreTime};
use crate::steps::StateMap;
use crate::store::Store;
use crate::torture::seeded::Leaked;
use crate::{Error, Failure};
use shutdown::Place;
use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a lease hides a job without a heartbeat, for jobs that do not say.
pub const DEFAULT_VISIBILITY_TIMEOUT: Duration = Duration::from_secs(30);
/// Runs at a time, unless the worker says otherwise.
const DEFAULT_CONCURRENCY: usize = 64;
/// Most runs at a time: each may hold its journal in memory.
const MAX_CONCURRENCY: usize = 10_000;
/// Time between two looks when nothing hints at work.
const DEFAULT_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a shutdown waits for running jobs.
const DEFAULT_GRACE: Duration = Duration::from_secs(30);
/// How long a job without a handler is left to others.
const DEFER_BACKOFF: Backoff = Backoff::exponential(Millis::secs(15), Millis::secs(30));

/// A worker that is being set up. Made by [`Jobs::worker`].
#[must_use = "a worker does nothing until it runs: add `.run().await`"]
pub struct Worker {
    jobs: Jobs,
    states: StateMap,
    queues: Vec<String>,
    /// Those of the queues that have one.
    weights: Vec<(String, u32)>,
    concurrency: usize,
    visibility_timeout: Duration,
    poll_interval: Duration,
    grace: Duration,
    name: String,
    observer: Observer,
    schedules: bool,
    retention: Option<Retention>,
    keeper: Place,
}

/// What the parts of a running worker share.
pub(crate) struct Shared {
    store: Store,
    registry: Arc<Registry>,
    states: Arc<StateMap>,
    committer: Committer,
    leases: Arc<Leases>,
    /// Runs that wait for a body of theirs.
    busy: AtomicUsize,
    leaked: Leaked,
    observer: Observer,
    queues: Vec<String>,
    /// Whose turn it is among the queues, if they have weights.
    shares: Mutex<Shares>,
    concurrency: usize,
    visibility_timeout: Millis,
    poll_interval: Duration,
    worker: String,
    store_time: StoreTime,
}

/// Ends the heartbeat thread, also when the worker's future is dropped half way.
struct StopLeases<'a>(&'a Shared);

impl Drop for StopLeases<'_> {
    fn drop(&mut self) {
        self.0.leases.stop();
    }
}

impl Shared {
    /// Half to all of half a minute, so that a fleet does not look in step.
    fn defer_delay(&self) -> Millis {
        DEFER_BACKOFF.delay(2, self.random())
    }

    /// The claims that fill so many slots: of which queues, and how many of each. What one of them
    /// leaves is for the last, which asks all.
    fn deal(&self, slots: usize) -> Vec<(Vec<String>, usize)> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let dealt = shares.deal(slots).into_iter();
        let own = dealt.map(|(queue, slots)| (vec![queue], slots));
        own.chain([(self.queues.clone(), slots)]).collect()
    }

    fn random(&self) -> u64 {
        self.store.env.entropy.bits() as u64
    }
}

impl Worker {
    pub(crate) fn new(jobs: Jobs) -> Self {
        Worker {
            jobs,
            states: StateMap::new(),
            queues: Vec::new(),
            weights: Vec::new(),
            concurrency: DEFAULT_CONCURRENCY,
            visibility_timeout: DEFAULT_VISIBILITY_TIMEOUT,
            poll_interval: DEFAULT_POLL_INTERVAL,
            grace: DEFAULT_GRACE,
            name: "worker".into(),
            observer: Observer::default(),
            schedules: true,
            retention: None,
            keeper: Place::Thread,
        }
    }

    /// Gives jobs a value that they ask for as `State<S>`. One value a type; the last one counts.
    pub fn state<S: Send + Sync + 'static>(mut self, value: S) -> Self {
        self.states.insert(TypeId::of::<S>(), Arc::new(value));
        self
    }

    /// Serves this queue, and others only if they are named too. Without it, all queues.
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queues.push(queue.into());
        self
    }

    /// Serves this queue with a share of its own: of the slots that become free, so many of the sum
    /// of all weights are for it, and for others only if it has no work. A queue that is named
    /// without a weight has the weight 1, and so has a weight of zero.
    ///
    /// Priorities are strict: without weights a flood of urgent jobs stops all others. A queue with
    /// a weight goes on, whatever the priority of its jobs.
    ///
    /// ```
    /// # fn example(jobs: jobs_runtime::Jobs) {
    /// // Three of four slots for the mail, and one for the reports, however much mail there is.
    /// let worker = jobs.worker().queue_weighted("mail", 3).queue_weighted("reports", 1);
    /// # drop(worker);
    /// # }
    /// ```
    pub fn queue_weighted(mut self, queue: impl Into<String>, weight: u32) -> Self {
        let queue = queue.into();
        self.queues.push(queue.clone());
        self.weights.push((queue, weight));
        self
    }

    /// Runs so many jobs at a time, from 1 to 10,000.
    pub fn concurrency(mut self, runs: usize) -> Self {
        self.concurrency = runs.clamp(1, MAX_CONCURRENCY);
        self
    }

    /// How long a lease lasts without a heartbeat, for jobs that do not say. A worker that dies
    /// delays its jobs by so long.
    pub fn visibility_timeout(mut self, span: Duration) -> Self {
        self.visibility_timeout = span.max(Duration::from_millis(1));
        self
    }

    /// How long to wait between two looks when nothing hints at work.
    pub fn poll_interval(mut self, span: Duration) -> Self {
        self.poll_interval = span.max(Duration::from_millis(1));
        self
    }

    /// How long a shutdown waits for running jobs before it hands them back.
    pub fn grace(mut self, span: Duration) -> Self {
        self.grace = span;
        self
    }

    /// A name for people; random bits are added, so that two workers of one name stay two.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Keeps the leases in a task beside the bodies, not on a thread of its own: for simulators,
    /// whose runs must not depend on threads. A body that blocks loses its lease then.
    pub fn without_thread(mut self) -> Self {
        self.keeper = Place::Task;
        self
    }

    /// Calls `callback` for everything that happens to a run here. It must not block.
    pub fn observe(
        mut self,
        callback: impl Fn(RunRef<'_>, RunEvent<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.observer = Observer::new(callback);
        self
    }

    /// Leaves schedules to other workers. Without it each worker makes the ticks of all tasks of its
    /// program, and of schedules that were made at run time, whatever queues it
    /// serves; a tick is made once, however many do.
    pub fn without_schedules(mut self) -> Self {
        self.schedules = false;
        self
    }

    /// Removes ended jobs that are not kept any more, once a minute, beside its work; without it
    /// ended jobs stay. Dead letters always do, until somebody purges them.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = Some(retention);
        self
    }

    /// Works until the process is told to stop (SIGINT or SIGTERM), then lets running jobs finish
    /// within the grace period and hands back the rest, which costs them no attempt. A second
    /// signal skips the wait.
    ///
    /// # Errors
    /// `X_STATE_MISSING` or `X_JOB_DUPLICATE` before any job is taken; later only an error that
    /// trying again cannot mend. An unreachable store is waited for.
    pub async fn run(self) -> Result<(), Failure> {
        let mut signals = shutdown::Signals::new()?;
        let (stop, hurry) = signals.split();
        Ok(self.work(stop, hurry).await?)
    }

    /// Works until `stop` ends, then as [`Worker::run`].
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> Result<(), Failure> {
        Ok(self.work(stop, std::future::pending()).await?)
    }

    async fn work(
        self,
        stop: impl Future<Output = ()>,
        hurry: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        panic::remember_places();
        let registry = Registry::linked()?;
        crate::error::check_codes()?;
        self.check_states(&registry)?;
        self.check_transactions(&registry)?;
        let scheduler = match self.schedules {
            true => Scheduler::of_all(self.jobs.store().clone(), &registry),
            false => Scheduler::of(self.jobs.store().clone(), []),
        };
        let (grace, place, retention) = (self.grace, self.keeper, self.retention.clone());
        let committer = Committer::start(self.jobs.store().clone());
        let shared = Arc::new(self.share(registry, committer, Leases::default()));
        shared.warn_of_orphans().await;
        let keeper = place.keep(Arc::clone(&shared.leases), shared.store.clone())?;
        let stop_keeper = StopLeases(&shared);
        let env = shared.store.env.clone();
        let sweeping = retention::watch(retention, shared.store.clone(), env.clone());
        // In this order, so that a simulation is the same each time: it is no race, two never end.
        let result = tokio::select! {
            biased;
            result = poller::serve(&shared, stop, hurry, grace) => result,
            never = sweeping => match never {},
            never = schedule::watch(scheduler, env, &shared.store_time) => match never {},
        };
        drop(stop_keeper);
        keeper.join().await;
        result
    }

    /// Refuses a store that has no transactions for the steps that need one.
    fn check_transactions(&self, registry: &Registry) -> Result<(), Error> {
        let capabilities = self.jobs.store().capabilities();
        if capabilities.transactional {
            return Ok(());
        }
        for def in registry.defs() {
            let steps = def.all_steps();
            if let Some((step, _)) = steps.iter().find(|(_, step)| step.tx) {
                return Err(Error::not_implemented(
                    format_args!(
                        "step \"{step}\" of job \"{}\" writes in a transaction, and the {} store has none for it",
                        def.name, capabilities.driver
                    ),
                    "connect to the database that the step writes to: `Jobs::from_pool(pool)`",
                ));
            }
        }
        Ok(())
    }

    fn check_states(&self, registry: &Registry) -> Result<(), Error> {
        for def in registry.defs() {
            for need in def.needs.iter().filter_map(|need| need()) {
                if !self.states.contains_key(&need.type_id) {
                    return Err(Error::state_missing(def.name, need.type_name));
                }
            }
        }
        Ok(())
    }

    fn shares(&self) -> Shares {
        if self.weights.is_empty() {
            return Shares::default();
        }
        let weights: BTreeMap<&str, u32> = self.weights.iter().map(|(q, w)| (&**q, *w)).collect();
        let queues: BTreeSet<&String> = self.queues.iter().collect();
        let weight = |queue: &str| weights.get(queue).copied().unwrap_or(1);
        Shares::new(queues.into_iter().map(|it| (it.clone(), weight(it))))
    }

    fn share(self, registry: Arc<Registry>, committer: Committer, leases: Leases) -> Shared {
        let store = self.jobs.store().clone();
        let bits = store.env.entropy.bits() as u64;
        let shares = self.shares();
        Shared {
            shares: Mutex::new(shares),
            committer,
            store,
            registry,
            states: Arc::new(self.states),
            leases: Arc::new(leases),
            busy: AtomicUsize::new(0),
            leaked: Leaked::default(),
            observer: self.observer,
            queues: self.queues,
            concurrency: self.concurrency,
            visibility_timeout: self.visibility_timeout.into(),
            poll_interval: self.poll_interval,
            worker: format!("{}-{bits:016x}", self.name),
            store_time: StoreTime::default(),
        }
    }
}

impl Shared {
    /// Names the live jobs that nothing here can run: most often a crate that was not linked.
    async fn warn_of_orphans(&self) {
        match self.store.inspect().live_names().await {
            Ok(names) => {
                for name in names
                    .iter()
                    .filter(|name| self.registry.find(name).is_none())
                {
                    let near = crate::admin::nearest(name, self.registry.names());
                    tracing::warn!(
                        name,
                        ?near,
                        "jobs of this name wait in the store, and this program has no handler for them; if another crate has it, link it with `jobs_runtime::link!(that_crate)`"
                    );
                }
            }
            Err(error) => tracing::warn!(%error, "the names of waiting jobs could not be read"),
        }
    }
}
