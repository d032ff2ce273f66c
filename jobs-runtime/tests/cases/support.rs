//! One store under one clock for a case, its workers, and the raw verbs for cases that play a
//! worker themselves.

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::contract::{Claim, Claimed, Driver, EnqueueAnswer, JobView};
use jobs_runtime::core::{CommitAnswer, Job as Row, Millis, NewJob, State as JobState};
use jobs_runtime::drivers::memory::Memory;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{JobId, RunEvent, Timestamp, Worker};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;

use crate::shared::Shared;

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const HOUR: Duration = Duration::from_secs(3600);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

/// How long a lease lasts that nothing else is said of.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// Plays the async function of this name on each store of this build, as a test of its own.
macro_rules! each_store {
    ($name:ident) => {
        mod $name {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn memory() {
                super::$name($crate::support::World::memory()).await;
            }

            #[cfg(feature = "sqlite")]
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let world = $crate::support::World::sqlite().await;
                super::$name(world.clone()).await;
                world.driver().close().await;
            }
        }
    };
}

/// Plays the async function of this name on a store in a SQLite file only.
macro_rules! on_sqlite {
    ($name:ident) => {
        mod $name {
            #[cfg(feature = "sqlite")]
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$name($crate::support::World::sqlite().await).await;
            }
        }
    };
}

pub(crate) use {each_store, on_sqlite};

/// Lines from all threads of a test, in order; a test can wait for one.
#[derive(Clone)]
pub(crate) struct Log(Arc<watch::Sender<Vec<String>>>);

impl Default for Log {
    fn default() -> Self {
        Log(Arc::new(watch::Sender::new(Vec::new())))
    }
}

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.send_modify(|lines| lines.push(line.into()));
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.0
            .borrow()
            .iter()
            .filter(|other| *other == line)
            .count()
    }

    /// Waits until the line stands there so often.
    pub(crate) async fn saw(&self, line: &str, times: usize) {
        let enough = |lines: &Vec<String>| lines.iter().filter(|l| *l == line).count() >= times;
        let found = self.0.subscribe().wait_for(enough).await.map(|_| ());
        found.unwrap();
    }

    /// Writes a line when it is dropped.
    pub(crate) fn at_drop(&self, line: &str) -> AtDrop {
        AtDrop(self.clone(), line.to_owned())
    }
}

pub(crate) struct AtDrop(Log, String);

impl Drop for AtDrop {
    fn drop(&mut self) {
        self.0.add(self.1.as_str());
    }
}

/// Lets bodies go on that wait at it.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Gate(Arc::new(Semaphore::new(0)))
    }
}

impl Gate {
    /// Lets so many bodies pass, also those that are not there yet.
    pub(crate) fn open(&self, bodies: usize) {
        self.0.add_permits(bodies);
    }

    pub(crate) async fn pass(&self) {
        self.0.acquire().await.unwrap().forget();
    }
}

/// A store with its clock, and what its jobs ask for: every job of these cases can have the log,
/// the gate and the clock as `State`.
#[derive(Clone)]
pub(crate) struct World {
    driver: Arc<dyn Driver>,
    pub(crate) clock: VirtualClock,
    pub(crate) env: Env,
    pub(crate) log: Log,
    pub(crate) gate: Gate,
    folder: Option<Arc<TempDir>>,
}

impl World {
    pub(crate) fn memory() -> Self {
        World::new(|env| Arc::new(Memory::new(env)), None)
    }

    #[cfg(feature = "sqlite")]
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        let mut world = World::new(|env| Arc::new(Memory::new(env)), Some(Arc::new(folder)));
        world.driver = Arc::new(open(&path, &world.env).await);
        world
    }

    fn new(make: impl FnOnce(Env) -> Arc<dyn Driver>, folder: Option<Arc<TempDir>>) -> Self {
        let clock = VirtualClock::default();
        let env = Env::new(clock.clone(), SeededEntropy::new(5));
        World {
            driver: make(env.clone()),
            clock,
            env,
            log: Log::default(),
            gate: Gate::default(),
            folder,
        }
    }

    /// An empty store of the same kind.
    pub(crate) async fn twin(&self) -> Self {
        #[cfg(feature = "sqlite")]
        if self.is_sqlite() {
            return World::sqlite().await;
        }
        World::memory()
    }

    /// The same store behind another driver.
    pub(crate) fn behind(&self, wrap: impl FnOnce(Arc<dyn Driver>) -> Arc<dyn Driver>) -> Self {
        World {
            driver: wrap(Arc::clone(&self.driver)),
            ..self.clone()
        }
    }

    pub(crate) fn driver(&self) -> &dyn Driver {
        &*self.driver
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.folder.is_some()
    }

    /// The file of a store in SQLite.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.as_ref().unwrap().path().join("jobs.db")
    }

    /// A connection as an operator would open it.
    #[cfg(feature = "sqlite")]
    pub(crate) fn raw(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.path()).unwrap();
        connection.busy_timeout(5 * SECOND).unwrap();
        connection
    }

    /// Another handle on the same file, as a second process has one; in memory there is only one.
    #[cfg(feature = "sqlite")]
    pub(crate) async fn another(&self) -> Self {
        if !self.is_sqlite() {
            return self.clone();
        }
        World {
            driver: Arc::new(open(&self.path(), &self.env).await),
            ..self.clone()
        }
    }

    #[cfg(not(feature = "sqlite"))]
    pub(crate) async fn another(&self) -> Self {
        self.clone()
    }

    pub(crate) fn jobs(&self) -> Jobs {
        Jobs::with_driver(Shared(Arc::clone(&self.driver)), self.env.clone())
    }

    /// A client with clocks of its own.
    pub(crate) fn jobs_in(&self, env: Env) -> Jobs {
        Jobs::with_driver(Shared(Arc::clone(&self.driver)), env)
    }

    /// A bench on this store. The starts of step bodies are logged as `start STEP`.
    pub(crate) fn bench(&self) -> Bench {
        let driver = Shared(Arc::clone(&self.driver));
        let world = self.clone();
        Bench::with_driver(driver, self.env.clone(), self.clock.clone()).worker(move |worker| {
            let log = world.log.clone();
            world.equip(worker).observe(move |_, event| match event {
                RunEvent::StepStarted { step } => log.add(format!("start {step}")),
                RunEvent::LeaseLost => log.add("lost"),
                _ => {}
            })
        })
    }

    /// Gives a worker all that the jobs of these cases ask for.
    pub(crate) fn equip(&self, worker: Worker) -> Worker {
        worker
            .state(self.log.clone())
            .state(self.gate.clone())
            .state(self.clock.clone())
    }

    /// A real worker of this name, whose runs are logged as `NAME claimed`, `NAME ended STATE`
    /// and `NAME lost`.
    pub(crate) fn worker(&self, jobs: &Jobs, name: &'static str) -> Worker {
        let log = self.log.clone();
        let worker = self.equip(jobs.worker()).name(name);
        worker.observe(move |_, event| match event {
            RunEvent::Claimed { .. } => log.add(format!("{name} claimed")),
            RunEvent::Ended { state, .. } => log.add(format!("{name} ended {state}")),
            RunEvent::Suspended { .. } => log.add(format!("{name} suspended")),
            RunEvent::LeaseLost => log.add(format!("{name} lost")),
            _ => {}
        })
    }

    /// Starts a worker.
    pub(crate) fn start(&self, worker: Worker) -> Working {
        let stop = Arc::new(Notify::new());
        let until = Arc::clone(&stop);
        let log = self.log.clone();
        let told = async move {
            until.notified().await;
            // From here on it takes no new work.
            log.add("stopping");
        };
        let task = tokio::spawn(worker.run_until(told));
        Working { stop, task }
    }

    /// Lets `span` pass, again and again, until the line stands in the log so often. Each time
    /// whoever waits for it has a chance to use what has passed.
    pub(crate) async fn pass(&self, span: Duration, line: &str, times: usize) {
        let chance = Duration::from_millis(150);
        let seen = async {
            loop {
                let before = self.log.lines().len();
                let saw = tokio::time::timeout(chance, self.log.saw(line, times));
                if saw.await.is_ok() {
                    return;
                }
                // While somebody is still busy with what has passed, no more passes: on a loaded
                // machine leases would end that nobody had a chance to keep.
                if self.log.lines().len() == before {
                    self.clock.advance(span);
                }
            }
        };
        within(seen).await;
    }

    /// Lets so many times `span` pass, each with the heartbeat that it brings.
    pub(crate) async fn beat(&self, span: Duration, times: usize) {
        for _ in 0..times {
            self.clock.advance(span);
            // One from here on: a hint may have brought another just before.
            let now = self.now();
            let is_new = |line: &String| {
                let millis = line.strip_prefix("beat ").and_then(|at| at.parse().ok());
                millis.is_some_and(|millis: i64| millis >= now.0)
            };
            let mut lines = self.log.0.subscribe();
            let came = lines.wait_for(|lines| lines.iter().any(is_new));
            within(came).await.unwrap();
        }
    }

    pub(crate) async fn view(&self, id: JobId) -> JobView {
        self.driver.inspect().view(id).await.unwrap().unwrap()
    }

    pub(crate) async fn row(&self, id: JobId) -> Row {
        self.view(id).await.job
    }

    pub(crate) async fn state(&self, id: JobId) -> JobState {
        self.row(id).await.head.state
    }

    /// The code of a job's last error.
    pub(crate) async fn code(&self, id: JobId) -> String {
        let error = self.row(id).await.notes.error;
        error.and_then(|error| error.code).unwrap_or_default()
    }

    /// The delivered steps of a job, in order.
    pub(crate) async fn journal(&self, id: JobId) -> Vec<String> {
        let journal = self.view(id).await.journal;
        let mut delivered: Vec<_> = journal.iter().filter(|r| r.position.is_some()).collect();
        delivered.sort_by_key(|record| record.position);
        delivered.iter().map(|record| record.name.clone()).collect()
    }

    pub(crate) fn now(&self) -> Timestamp {
        jobs_runtime::clock::Clock::now(&self.clock)
    }

    /// A job of this name, without a key, visible at once, with three tries.
    pub(crate) fn job(&self, name: &str) -> NewJob {
        crate::raw::job(self.now(), name)
    }

    /// Stores a job that this program has no handler of.
    pub(crate) async fn store(&self, job: &NewJob) -> EnqueueAnswer {
        let jobs = std::slice::from_ref(job);
        let answers = self.driver.enqueue(jobs, Some(self.now())).await.unwrap();
        answers.into_iter().next().unwrap()
    }

    pub(crate) async fn claim(&self, limit: usize) -> Vec<Claimed> {
        self.claim_as("by-hand", limit).await
    }

    pub(crate) async fn claim_as(&self, worker: &str, limit: usize) -> Vec<Claimed> {
        let claim = Claim {
            queues: Vec::new(),
            limit,
            visibility_timeout: Millis::from(LEASE),
            worker: worker.into(),
            nonce: crate::raw::bits() as u64,
            now: Some(self.now()),
        };
        self.driver.claim(&claim).await.unwrap().jobs
    }

    pub(crate) async fn commit(&self, commit: jobs_runtime::core::Commit) -> CommitAnswer {
        let answers = self.driver.commit(&[commit], Some(self.now())).await;
        answers.unwrap().into_iter().next().unwrap()
    }
}

#[cfg(feature = "sqlite")]
async fn open(path: &std::path::Path, env: &Env) -> jobs_runtime::drivers::sqlite::Sqlite {
    use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
    let options = SqliteOptions::default().env(env.clone());
    Sqlite::open(path, options).await.unwrap()
}

/// A worker that runs.
pub(crate) struct Working {
    stop: Arc<Notify>,
    pub(crate) task: JoinHandle<Result<()>>,
}

impl Working {
    /// Tells it to stop.
    pub(crate) fn stop(&self) {
        self.stop.notify_one();
    }

    /// Tells it to stop, and waits until it has.
    pub(crate) async fn stopped(self) {
        self.stop();
        within(self.task).await.unwrap().unwrap();
    }

    /// Ends it where it stands: it writes nothing any more.
    pub(crate) async fn killed(self) {
        self.task.abort();
        assert!(within(self.task).await.unwrap_err().is_cancelled());
    }
}

/// Ends a test that hangs; real time, and never reached by a test that passes.
pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(50), work)
        .await
        .unwrap()
}
