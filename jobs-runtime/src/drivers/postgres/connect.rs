//! Connections: a store from a URL, transactions that begin and end, and what becomes of those that
//! met others.

use super::callers::{self, Place};
use super::fault::Fault;
use super::work::Tx;
use super::{Postgres, PostgresOptions, Shared, Statements, WAKE_UP_CAPACITY, migrate, wake};
use crate::Error;
use crate::clock::Env;
use crate::contract::{Capabilities, Durability, WakeUp};
use crate::core::Timestamp;
use crate::torture::crash_point;
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{Connection, PgConnection, Transaction};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// Times that a transaction is made again that met another one.
pub(super) const TRIES: u32 = 20;

/// The longest pause before it is, in milliseconds for each time that it met another one.
const PAUSE_MS: u64 = 5;

/// READ COMMITTED, whatever the server's default: each statement sees what was committed before
/// it, so what is read after a lock is as the holder before left it.
const DURABLE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// The same where the server's default would answer before the disk has it.
const MADE_DURABLE: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on";
/// As [`DURABLE`] and [`MADE_DURABLE`], for the jobs of many: they wait for nobody's long transaction.
const SOON: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '100ms'";
const MADE_SOON: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '100ms'; \
                         SET LOCAL synchronous_commit = on";
/// For claims and retention. What of them a crash of the server takes back is only that: a lost
/// claim is a job that is visible again, whose next lease has the same epoch and another nonce, so
/// that the first holder is refused; and what retention removed is removed again. A commit that
/// answers waits for its own record, which lies behind theirs in the log, so a claim whose job has
/// committed anything is as safe as that. Claims that count leases or starts do wait: a body whose
/// lease is lost runs on until it hears of it, and would be one more than may. So do heartbeats,
/// which are few: no lease ends before its holder believes it.
const LIGHT: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off";
/// One snapshot for all statements of a look.
const LOOK: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What a transaction must survive, and how long it waits for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    Durable,
    Light,
    /// Durable, or not at all.
    Soon,
}

/// A transaction that has begun. Dropped, it is rolled back.
pub(super) struct Open<'s> {
    transaction: Transaction<'static, sqlx::Postgres>,
    shared: &'s Shared,
    now: Timestamp,
}

impl Open<'_> {
    pub(super) fn tx(&mut self) -> Tx<'_> {
        Tx::at(&mut self.transaction, &self.shared.sql, self.now)
    }
}

/// A transaction that came to nothing, or whose COMMIT was not answered.
#[derive(Debug)]
pub(super) enum Failed {
    Before(Fault),
    AtCommit(Fault),
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Failed::Before(fault)
    }
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        Failed::Before(error.into())
    }
}

impl Failed {
    pub(super) fn is_collision(&self) -> bool {
        match self {
            Failed::Before(fault) | Failed::AtCommit(fault) => fault.is_collision(),
        }
    }

    /// Somebody else holds what it waits for.
    pub(super) fn is_held(&self) -> bool {
        matches!(self, Failed::Before(fault) if fault.is_held())
    }

    pub(super) fn is_one_items(&self) -> bool {
        matches!(self, Failed::Before(fault) if fault.is_one_items())
    }

    pub(super) fn into_error(self) -> Error {
        match self {
            Failed::Before(fault) => fault.before_write(),
            Failed::AtCommit(fault) => fault.after_commit(),
        }
    }
}

impl Postgres {
    /// Connects, and brings the schema up to date.
    ///
    /// # Errors
    /// `X_URL_INVALID` if the URL cannot be read, `X_DRIVER_UNAVAILABLE` if the server cannot be
    /// reached, `X_STORE_SETTINGS` if its settings would break a promise, `X_SCHEMA_NEWER` if the
    /// store was made by a newer version.
    pub async fn from_url(url: &str, env: Env) -> Result<Self, Error> {
        Postgres::connect(PostgresOptions::from_url(url)?.env(env)).await
    }

    /// Connects as the options say: see [`Postgres::from_url`].
    ///
    /// # Errors
    /// As [`Postgres::from_url`].
    pub async fn connect(options: PostgresOptions) -> Result<Self, Error> {
        Postgres::connect_with(options, None).await
    }

    /// With the pool that transactions of steps come from, if the application has one.
    pub(super) async fn connect_with(
        options: PostgresOptions,
        steps: Option<PgPool>,
    ) -> Result<Self, Error> {
        let pool = |connections: u32| {
            PgPoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(options.acquire_timeout)
                .connect_lazy_with(options.connect.clone())
        };
        let (place, is_durable) = prepare(&options).await?;
        // A setting that is stronger is kept.
        let (durable, soon) = match is_durable {
            true => (DURABLE, SOON),
            false => (MADE_DURABLE, MADE_SOON),
        };
        let shared = Arc::new(Shared {
            sql: Statements::new(&options.schema).by_clock(options.clock.as_deref()),
            capabilities: Capabilities {
                driver: "postgres",
                durability: Durability::Machine,
                ordered_claim: true,
                exact_stats: true,
                indexed_lists: true,
                transactional: true,
                shared: true,
                payload_limit: options.payload_limit_bytes,
            },
            durable,
            soon,
            client: options.env.entropy.bits() as u64,
            gather: super::gather::Gather::new(options.connections),
            pool: pool(options.connections),
            commits: pool(1),
            beats: pool(1),
            listening: pool(1),
            owns_steps: steps.is_none(),
            steps: callers::steps_of(&options, steps),
            place,
            wake_ups: broadcast::Sender::new(WAKE_UP_CAPACITY),
            env: options.env,
        });
        callers::remember(&shared);
        Ok(Postgres {
            listener: wake::listen(Arc::clone(&shared)),
            shared,
        })
    }

    pub(super) async fn begin(
        &self,
        pool: &PgPool,
        begin: Begin,
        now: Option<Timestamp>,
    ) -> Result<Open<'_>, Failed> {
        let statement = match begin {
            Begin::Durable => self.shared.durable,
            Begin::Light => LIGHT,
            Begin::Soon => self.shared.soon,
        };
        Ok(self.open(pool, statement, now).await?)
    }

    /// A look at one instant, which changes nothing.
    pub(super) async fn look_in(&self, now: Option<Timestamp>) -> Result<Open<'_>, Error> {
        let open = self.open(&self.shared.pool, LOOK, now).await;
        open.map_err(Fault::before_write)
    }

    async fn open(
        &self,
        pool: &PgPool,
        begin: &'static str,
        now: Option<Timestamp>,
    ) -> Result<Open<'_>, Fault> {
        let mut transaction = pool.begin_with(begin).await?;
        let now = match now {
            Some(now) => now,
            None => super::work::time(&mut transaction, &self.shared.sql).await?,
        };
        crash_point!("driver.postgres.begun");
        Ok(Open {
            transaction,
            shared: &self.shared,
            now,
        })
    }

    /// Ends a transaction, and tells what has happened in it.
    pub(super) async fn commit(
        &self,
        mut open: Open<'_>,
        hints: Vec<WakeUp>,
    ) -> Result<(), Failed> {
        let speaker = Some(self.shared.client);
        wake::tell(&mut open.transaction, &self.shared, &hints, speaker).await?;
        crash_point!("driver.postgres.commit.before");
        let committed = open.transaction.commit().await;
        committed.map_err(|error| Failed::AtCommit(error.into()))?;
        crash_point!("driver.postgres.commit.after");
        for hint in hints {
            // Nobody listens: nobody needs to be told.
            drop(self.shared.wake_ups.send(hint));
        }
        Ok(())
    }

    /// Waits a moment, longer each time and never as long as another one does.
    pub(super) async fn pause(&self, tries: u32) {
        let most = PAUSE_MS * u64::from(tries) + 1;
        let random = self.shared.env.entropy.bits() as u64 % most;
        tokio::time::sleep(Duration::from_millis(random)).await;
    }
}

/// Brings the schema up to date. Gives where it is, and false if the server answers a COMMIT before
/// the disk has it, unless it is told not to.
async fn prepare(options: &PostgresOptions) -> Result<(Place, bool), Error> {
    // A connection of its own: a pool would try a server that is not there for half a minute.
    let connecting = PgConnection::connect_with(&options.connect);
    let limit = options.acquire_timeout;
    let told = |error| Fault::Sqlx(error).before_write();
    let mut connection = match tokio::time::timeout(limit, connecting).await {
        Ok(connected) => connected.map_err(told)?,
        Err(_) => return Err(told(sqlx::Error::PoolTimedOut)),
    };
    let migrated = migrate::migrate(&mut connection, &options.schema).await;
    migrated.map_err(Fault::before_write)?;
    let place = callers::place(&mut connection).await?;
    connection.close().await.map_err(told)?;
    let is_durable = !place.is_weak;
    Ok((place.within(&options.schema), is_durable))
}
