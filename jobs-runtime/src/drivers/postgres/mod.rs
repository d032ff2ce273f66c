//! A Postgres database, any number of clients.
//!
//! This file is the store as a whole: its connections, and the verbs as transactions. A verb loads
//! what it touches, applies the model to it and stores what has changed (`work`); what is loaded
//! and stored stands in `load` and `save`, the statements in `sql/`, and no decision about a job
//! here.

mod callers;
mod claim;
mod columns;
mod connect;
mod fault;
mod first;
mod gather;
mod heartbeat;
mod inspect;
mod load;
mod migrate;
mod options;
mod prune;
mod save;
mod statements;
mod text;
mod wake;
mod work;

pub use callers::{MAX_STEP_CONNECTIONS, PostgresTx};
pub use migrate::schema_script;
pub use options::{DEFAULT_CONNECTIONS, DEFAULT_SCHEMA, PostgresOptions};

use crate::Error;
use crate::clock::Env;
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, EnqueueAnswer, Inspect, PruneBounds,
    Pruned, Published, QueueStats, Setting, SettingWrite, WakeUp, WakeUps, check_claim,
    check_event,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use crate::drivers::model::{Need, Store};
use async_trait::async_trait;
use connect::{Begin, Failed, Open};
use fault::Fault;
use first::{of_commit, of_event, of_job};
use sqlx::postgres::PgPool;
use statements::Statements;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

/// Hints that a slow reader may be behind before it loses the oldest.
const WAKE_UP_CAPACITY: usize = 64;

/// Settings that are read in one call.
const SETTING_LIMIT_ROWS: i64 = 100_000;

/// A store in a schema of a Postgres database.
pub struct Postgres {
    shared: Arc<Shared>,
    listener: JoinHandle<()>,
}

/// What all parts of a store need.
struct Shared {
    sql: Statements,
    capabilities: Capabilities,
    /// How a transaction begins whose COMMIT must be on the disk.
    durable: &'static str,
    /// The same of one that waits for nobody.
    soon: &'static str,
    /// Tells this client's notices from those of others.
    client: u64,
    env: Env,
    /// Enqueues that wait for a transaction.
    gather: gather::Gather,
    /// For requests.
    pool: PgPool,
    /// One connection for commits, so that no other request stands before them.
    commits: PgPool,
    /// One connection for heartbeats, for the same reason.
    beats: PgPool,
    /// One connection for hints from others.
    listening: PgPool,
    /// For the transactions of `tx` steps.
    steps: PgPool,
    /// They are not the application's.
    owns_steps: bool,
    /// Where the store is.
    place: callers::Place,
    wake_ups: broadcast::Sender<WakeUp>,
}

/// Makes a transaction again that met another one.
macro_rules! again {
    ($store:ident, $transaction:expr) => {{
        let mut tries = 0;
        loop {
            match $transaction.await {
                Err(failed) if tries < connect::TRIES && failed.is_collision() => {
                    tries += 1;
                    $store.pause(tries).await;
                }
                outcome => break outcome,
            }
        }
    }};
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

impl Postgres {
    /// Applies a verb of the model in a transaction; again, if it met another one.
    async fn write<T: Send>(
        &self,
        pool: &PgPool,
        now: Option<Timestamp>,
        first: &BTreeSet<Need>,
        verb: impl Fn(&mut Store, Timestamp) -> T + Send + Sync,
    ) -> Result<T, Failed> {
        let open = self.begin(pool, Begin::Durable, now).await?;
        self.write_in(open, first, verb).await
    }

    async fn write_in<T: Send>(
        &self,
        mut open: Open<'_>,
        first: &BTreeSet<Need>,
        verb: impl Fn(&mut Store, Timestamp) -> T + Send + Sync,
    ) -> Result<T, Failed> {
        let (answer, mut after) = work::apply(&mut open.tx(), first.clone(), verb).await?;
        self.commit(open, after.take_hints()).await?;
        Ok(answer)
    }

    /// Applies a verb to a batch, and if one of its items is at fault to each alone.
    async fn write_each<I: Sync, T: Send>(
        &self,
        pool: &PgPool,
        now: Option<Timestamp>,
        items: &[I],
        first: impl Fn(&I) -> Vec<Need> + Send + Sync,
        verb: impl Fn(&mut Store, &I, Timestamp) -> T + Send + Sync,
        refused: impl Fn(&I, Error) -> Result<T, Error> + Send + Sync,
    ) -> Result<Vec<T>, Error> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let needs: BTreeSet<Need> = items.iter().flat_map(&first).collect();
        let all = |store: &mut Store, now: Timestamp| {
            let answers: Vec<T> = items.iter().map(|item| verb(store, item, now)).collect();
            answers
        };
        match again!(self, self.write(pool, now, &needs, &all)) {
            Err(failed) if failed.is_one_items() => {}
            outcome => return outcome.map_err(Failed::into_error),
        }
        let mut answers = Vec::with_capacity(items.len());
        for item in items {
            let needs: BTreeSet<Need> = first(item).into_iter().collect();
            let one = |store: &mut Store, now: Timestamp| verb(store, item, now);
            answers.push(match again!(self, self.write(pool, now, &needs, &one)) {
                Err(failed) if failed.is_one_items() => refused(item, failed.into_error())?,
                outcome => outcome.map_err(Failed::into_error)?,
            });
        }
        Ok(answers)
    }
}

impl Postgres {
    /// Stores the jobs of many in one transaction, if it has to wait for nobody's long one.
    async fn store_soon(&self, jobs: &[NewJob]) -> Result<Vec<EnqueueAnswer>, Failed> {
        let shared = &self.shared;
        let needs: BTreeSet<Need> = jobs.iter().flat_map(of_job).collect();
        let verb = |store: &mut Store, now: Timestamp| {
            let enqueue = |job| store.enqueue(job, &shared.capabilities, now);
            let answers: Vec<EnqueueAnswer> = jobs.iter().map(enqueue).collect();
            answers
        };
        let stored = async || {
            let open = self.begin(&shared.pool, Begin::Soon, None).await?;
            self.write_in(open, &needs, &verb).await
        };
        again!(self, stored())
    }

    /// Stores jobs in one transaction.
    async fn store_jobs(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        let capabilities = &self.shared.capabilities;
        self.write_each(
            &self.shared.pool,
            now,
            jobs,
            of_job,
            |store, job, now| store.enqueue(job, capabilities, now),
            |_, error| Ok(Err(crate::contract::Conflicted::Refused(error))),
        )
        .await
    }

    async fn try_claim(&self, claim: &Claim) -> Result<Claims, Failed> {
        let pool = &self.shared.pool;
        let mut open = self.begin(pool, Begin::Light, claim.now).await?;
        let (claims, mut after) = claim::claim(&mut open.tx(), claim).await?;
        self.commit(open, after.take_hints()).await?;
        Ok(claims)
    }

    async fn try_heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Failed> {
        let mut open = self.begin(&self.shared.beats, Begin::Durable, now).await?;
        let (answers, mut after) = heartbeat::heartbeat(&mut open.tx(), beats).await?;
        self.commit(open, after.take_hints()).await?;
        Ok(answers)
    }

    async fn try_write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Result<Option<Setting>, Error>, Failed> {
        let capabilities = &self.shared.capabilities;
        let mut first = BTreeSet::from([Need::Setting(write.key.clone()), Need::Numbers]);
        first.extend(write.jobs.iter().flat_map(of_job));
        let verb =
            |store: &mut Store, now: Timestamp| store.write_setting(write, capabilities, now);
        let mut open = self.begin(&self.shared.pool, Begin::Durable, now).await?;
        let mut tx = open.tx();
        tx.locks_settings = true;
        let (answer, mut after) = work::apply(&mut tx, first, verb).await?;
        self.commit(open, after.take_hints()).await?;
        Ok(answer)
    }

    async fn try_prune(
        &self,
        bounds: &PruneBounds,
        now: Option<Timestamp>,
    ) -> Result<Pruned, Failed> {
        let mut open = self.begin(&self.shared.pool, Begin::Light, now).await?;
        let pruned = prune::prune(&mut open.tx(), bounds).await?;
        self.commit(open, Vec::new()).await?;
        Ok(pruned)
    }
}

#[async_trait]
impl Driver for Postgres {
    fn capabilities(&self) -> &Capabilities {
        &self.shared.capabilities
    }

    async fn migrate(&self) -> Result<(), Error> {
        // Connecting has done it: a store that is not up to date is not given out.
        Ok(())
    }

    async fn enqueue(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        match now {
            Some(_) => self.store_jobs(jobs, now).await,
            None => self.store_gathered(jobs).await,
        }
    }

    async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        check_claim(claim)?;
        again!(self, self.try_claim(claim)).map_err(Failed::into_error)
    }

    async fn commit(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        let capabilities = &self.shared.capabilities;
        self.write_each(
            &self.shared.commits,
            now,
            commits,
            of_commit,
            |store, commit, now| store.commit(commit, capabilities, now),
            |commit, error| {
                // Its worker must let go of it, or it would try for ever.
                tracing::error!(job = %commit.job, %error, "a commit cannot be applied; its lease is given up");
                Ok(match commit.guard {
                    crate::core::CommitGuard::Lease(_) => CommitAnswer::LeaseLost,
                    crate::core::CommitGuard::Revision(_) => CommitAnswer::Conflict,
                })
            },
        )
        .await
    }

    async fn heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error> {
        again!(self, self.try_heartbeat(beats, now)).map_err(Failed::into_error)
    }

    async fn publish(
        &self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        for event in events {
            check_event(event, &self.shared.capabilities)?;
        }
        self.write_each(
            &self.shared.pool,
            now,
            events,
            of_event,
            |store, event, now| store.publish(event, now),
            |_, error| Err(error),
        )
        .await
    }

    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
        let mut open = self.look_in(now).await?;
        let stats = inspect::stats(&mut open.tx()).await;
        stats.map_err(Fault::before_write)
    }

    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        let mut open = self.look_in(None).await?;
        let mut tx = open.tx();
        let query = sqlx::query(&tx.sql.setting_list)
            .bind(text::stored_owned(prefix))
            .bind(SETTING_LIMIT_ROWS);
        let rows = tx.all(query).await.map_err(Fault::before_write)?;
        let mut found = Vec::new();
        for row in &rows {
            let setting = load::read_setting(row).map_err(Fault::before_write)?;
            if !setting.key.starts_with(prefix) {
                break;
            }
            found.push(setting);
        }
        Ok(found)
    }

    async fn write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error> {
        again!(self, self.try_write_setting(write, now)).map_err(Failed::into_error)?
    }

    async fn prune(&self, bounds: &PruneBounds, now: Option<Timestamp>) -> Result<Pruned, Error> {
        again!(self, self.try_prune(bounds, now)).map_err(Failed::into_error)
    }

    fn wake_ups(&self) -> WakeUps {
        self.shared.wake_ups.subscribe()
    }

    fn inspect(&self) -> &dyn Inspect {
        self
    }

    fn transactions(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    async fn close(&self) {
        self.listener.abort();
        let shared = &self.shared;
        // The application's pool stays open: it is not ours.
        if shared.owns_steps {
            shared.steps.close().await;
        }
        for pool in [
            &shared.listening,
            &shared.beats,
            &shared.commits,
            &shared.pool,
        ] {
            pool.close().await;
        }
    }
}
