//! One SQLite file, any number of processes on one host.
//!
//! This file is the store as a whole: its threads, and the verbs as requests to them. What a verb
//! does stands in the file named after it, its statements in `sql/`, and every decision about a
//! job in `core`.

mod apart;
#[cfg(feature = "sqlx-sqlite")]
mod callers;
#[cfg(not(feature = "sqlx-sqlite"))]
#[path = "no_callers.rs"]
mod callers;
mod chain;
mod children;
mod claim;
mod clock;
mod commit;
mod connect;
mod db;
mod doctor;
mod end;
mod enqueue;
mod fault;
mod group;
mod heartbeat;
mod inbox;
mod inspect;
mod keys;
mod lanes;
mod lineup;
mod log;
mod log_files;
mod migrate;
mod options;
mod place;
mod prune;
mod publish;
mod readers;
mod replaced;
mod room;
mod row;
mod settings;
mod sql;
mod stats;
mod turn;
mod url;
mod wake;
mod whole;
mod writer;

#[cfg(test)]
mod tests;

#[cfg(feature = "sqlx-sqlite")]
pub use callers::{MAX_STEP_CONNECTIONS, SqliteTx};
pub use migrate::{Migration, migrations};
pub use options::{
    DEFAULT_PAYLOAD_LIMIT_BYTES, MAX_PAYLOAD_LIMIT_BYTES, MIN_BUSY_TIMEOUT, SqliteOptions,
};

use crate::Error;
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, Durability, EnqueueAnswer, Inspect,
    PruneBounds, Pruned, Published, QueueStats, Report, Setting, SettingWrite, WakeUp, WakeUps,
    check_claim, check_event,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use crate::torture::points::WritePoints;
use crate::torture::{seeded, write_points};
use async_trait::async_trait;
use clock::StoreClock;
use db::Db;
use fault::Fault;
use readers::Readers;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::broadcast;
use turn::Turns;
use wake::Watch;
use writer::{Load, Writer};

/// Hints that a slow reader may be behind before it loses the oldest.
const WAKE_UP_CAPACITY: usize = 64;

/// A store in a SQLite file.
///
/// The file is shared by all processes that open it. Within a process one thread writes: whatever
/// waits when it begins goes into one transaction, so a hundred tasks pay for one sync of the
/// disk.
pub struct Sqlite {
    shared: Arc<Shared>,
    writer: Writer,
    beats: Writer,
    readers: Readers,
    watch: Watch,
    /// Where the transactions of `tx` steps come from.
    #[allow(dead_code, reason = "nobody asks without the feature `sqlx-sqlite`")]
    pool: std::sync::OnceLock<callers::StepPool>,
}

/// What all threads of a store need.
struct Shared {
    path: PathBuf,
    options: SqliteOptions,
    clock: StoreClock,
    capabilities: Capabilities,
    /// Who writes next, the writer or the heartbeats.
    turns: Turns,
    wake_ups: broadcast::Sender<WakeUp>,
    process: u32,
    /// Transactions that were committed.
    commits: std::sync::atomic::AtomicU64,
    /// Which `tx` step may stand in line to write.
    #[allow(dead_code, reason = "nobody asks without the feature `sqlx-sqlite`")]
    steps: Arc<tokio::sync::Semaphore>,
}

impl Shared {
    fn new(path: &Path, options: SqliteOptions) -> Self {
        let durability = if options.allow_weak_durability {
            Durability::Process
        } else {
            Durability::Machine
        };
        Shared {
            path: path.to_owned(),
            clock: StoreClock::new(options.env.clone()),
            capabilities: Capabilities {
                driver: "sqlite",
                durability,
                ordered_claim: true,
                exact_stats: true,
                indexed_lists: true,
                transactional: cfg!(feature = "sqlx-sqlite"),
                shared: true,
                payload_limit: options.payload_limit_bytes,
            },
            commits: std::sync::atomic::AtomicU64::default(),
            options,
            turns: Turns::default(),
            wake_ups: broadcast::Sender::new(WAKE_UP_CAPACITY),
            process: std::process::id(),
            steps: Arc::new(tokio::sync::Semaphore::new(1)),
        }
    }

    /// Refuses use after a fork: the threads are not there, and SQLite's locks are the parent's.
    fn check_process(&self) -> Result<(), Error> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(Error::store_settings(
            format_args!(
                "{} was opened by process {}, and a forked process cannot use it",
                self.path.display(),
                self.process
            ),
            "open the store after the fork, in the process that uses it",
        ))
    }
}

impl Sqlite {
    /// Opens the file, creates it if it is not there, and brings its schema up to date.
    ///
    /// ```
    /// use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), jobs_runtime::Error> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("jobs.db");
    /// let store = Sqlite::open(&path, SqliteOptions::default()).await?;
    /// # use jobs_runtime::contract::Driver;
    /// # store.close().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `X_STORE_SETTINGS` if the place or the settings would break a promise, `X_SCHEMA_NEWER` if
    /// the file was written by a newer version, `X_STORE_CORRUPT` if it cannot be read.
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<Sqlite, Error> {
        if options.allow_weak_durability {
            tracing::warn!(
                path = %path.display(),
                "synchronous = NORMAL: a power cut may take the last commits"
            );
        }
        let shared = Arc::new(Shared::new(path, options));
        prepare(shared.clone()).await?;
        callers::remember(&shared);
        Ok(Sqlite {
            writer: Writer::start("jobs-sqlite-write", shared.clone())?,
            beats: Writer::start("jobs-sqlite-beat", shared.clone())?,
            readers: Readers::new(shared.clone()),
            watch: Watch::start(shared.clone())?,
            pool: std::sync::OnceLock::new(),
            shared,
        })
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(Db<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Error> {
        self.readers.read(work).await
    }
}

/// Checks the place and the file and migrates, away from the async threads.
async fn prepare(shared: Arc<Shared>) -> Result<(), Error> {
    let prepared = tokio::task::spawn_blocking(move || {
        connect::check_library()?;
        place::check(&shared.path)?;
        if !shared.options.allow_weak_durability {
            log::check(&shared.path)?;
        }
        migrate::prepare(&shared.path, &shared.options)
            .map_err(|fault| fault.before_write(&shared.path))
    });
    match prepared.await {
        Ok(outcome) => outcome,
        Err(error) => Err(Error::driver_unavailable(
            "SQLite",
            error,
            "report this: the migration panicked",
        )),
    }
}

/// Where a process can be killed while it writes a commit.
fn commit_points() -> WritePoints {
    write_points!("driver.sqlite.commit")
}

#[async_trait]
impl Driver for Sqlite {
    fn capabilities(&self) -> &Capabilities {
        &self.shared.capabilities
    }

    async fn migrate(&self) -> Result<(), Error> {
        // Opening has done it: a store that is not up to date is not given out.
        Ok(())
    }

    async fn enqueue(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        let jobs = jobs.to_vec();
        let load = Load {
            items: jobs.len(),
            bytes: jobs.iter().map(|job| job.spec.input.bytes.len()).sum(),
            points: write_points!("driver.sqlite.enqueue"),
        };
        self.writer
            .write(load, now, move |tx| enqueue::enqueue(tx, &jobs))
            .await
    }

    async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        check_claim(claim)?;
        let claim = claim.clone();
        let load = Load {
            items: claim.limit.max(1),
            bytes: 0,
            points: write_points!("driver.sqlite.claim"),
        };
        self.writer
            .write(load, claim.now, move |tx| claim::claim(tx, &claim))
            .await
    }

    async fn commit(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        if commits.iter().any(seeded::takes_apart) {
            return apart::commit(&self.writer, commits, now).await;
        }
        let commits = commits.to_vec();
        let load = Load {
            items: commits.iter().map(|one| 1 + one.children.len()).sum(),
            bytes: commits.iter().map(Commit::size).sum(),
            points: commit_points(),
        };
        self.writer
            .write(load, now, move |tx| commit::commit(tx, &commits))
            .await
    }

    async fn heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error> {
        let beats = beats.to_vec();
        let load = Load {
            items: beats.len(),
            bytes: 0,
            points: write_points!("driver.sqlite.heartbeat"),
        };
        self.beats
            .write(load, now, move |tx| heartbeat::heartbeat(tx, &beats))
            .await
    }

    async fn publish(
        &self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        for event in events {
            check_event(event, &self.shared.capabilities)?;
        }
        let events = events.to_vec();
        let load = Load {
            items: events.len(),
            bytes: events.iter().map(|event| event.payload.bytes.len()).sum(),
            points: write_points!("driver.sqlite.publish"),
        };
        self.writer
            .write(load, now, move |tx| publish::publish(tx, &events))
            .await
    }

    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
        let now = now.unwrap_or_else(|| self.shared.clock.now());
        self.read(move |db| stats::stats(db, now)).await
    }

    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        let prefix = prefix.to_owned();
        self.read(move |db| settings::settings(db, &prefix)).await
    }

    async fn write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error> {
        let write = write.clone();
        let jobs = write.jobs.iter();
        let value = write.value.as_ref().map_or(0, Vec::len);
        let load = Load {
            items: jobs.len() + 1,
            bytes: value + jobs.map(|job| job.spec.input.bytes.len()).sum::<usize>(),
            points: write_points!("driver.sqlite.write_setting"),
        };
        self.writer
            .write(load, now, move |tx| settings::write_setting(tx, &write))
            .await
    }

    async fn prune(&self, bounds: &PruneBounds, now: Option<Timestamp>) -> Result<Pruned, Error> {
        let bounds = bounds.clone();
        let load = Load {
            items: bounds.limit.max(1),
            bytes: 0,
            points: write_points!("driver.sqlite.prune"),
        };
        self.writer
            .write(load, now, move |tx| prune::prune(tx, &bounds))
            .await
    }

    async fn doctor(&self) -> Result<Report, Error> {
        self.shared.check_process()?;
        doctor::report(self.shared.path.clone(), self.shared.options.clone()).await
    }

    fn wake_ups(&self) -> WakeUps {
        self.shared.wake_ups.subscribe()
    }

    fn inspect(&self) -> &dyn Inspect {
        self
    }

    fn transactions(&self) -> Option<&dyn std::any::Any> {
        callers::transactions(self)
    }

    async fn close(&self) {
        self.close_pool().await;
        // Who closes the file last copies the log back into it, and only a writer can.
        self.watch.close().await;
        self.readers.close().await;
        self.writer.close().await;
        self.beats.close().await;
    }
}
