//! A pool of sqlx: one that the application has, on whose file a store is opened, or one that a
//! store opens for its `tx` steps.

use super::super::{Sqlite, SqliteOptions};
use super::link::fault;
use super::transaction;
use crate::Error;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Row, SqlitePool};
use std::path::Path;

/// Connections of a pool that a store opens for its `tx` steps: one of them writes at a time, and
/// the next one stands ready.
pub const MAX_STEP_CONNECTIONS: u32 = 2;

/// `synchronous = FULL`: an answer means that the disk has it.
const FULL: i64 = 2;
/// `synchronous = NORMAL`: a power cut may take the last commits.
const NORMAL: i64 = 1;

/// Where the transactions of steps come from.
pub(in super::super) enum StepPool {
    Applications(SqlitePool),
    Own(SqlitePool),
}

impl Sqlite {
    /// Opens a store in the file of an application's pool, beside the application's own tables.
    /// The store has connections of its own; transactions of `tx` steps come from the pool.
    ///
    /// # Errors
    /// `X_STORE_SETTINGS` if the pool is on a database in memory, or its settings would break a
    /// promise; else as [`Sqlite::open`].
    pub async fn from_pool(pool: SqlitePool, options: SqliteOptions) -> Result<Sqlite, Error> {
        let told = |error| fault(error).before_write(Path::new("the pool's database"));
        let mut connection = pool.acquire().await.map_err(told)?;
        let place = transaction::place(&mut connection).await?;
        if place.path.as_os_str().is_empty() {
            return Err(Error::store_settings(
                "the pool is on a database in memory, which ends with its connections and which no other process can see",
                "give the pool a file, as in \"sqlite://app.db\"; for tests take a file in a temporary folder, or `Jobs::connect(\"memory:\")` without transactions",
            ));
        }
        let level = sqlx::query("PRAGMA synchronous")
            .fetch_one(&mut *connection)
            .await;
        let level: i64 = level
            .and_then(|row| row.try_get_unchecked(0))
            .map_err(told)?;
        drop(connection);
        let least = if options.allow_weak_durability {
            NORMAL
        } else {
            FULL
        };
        if level < least {
            return Err(Error::store_settings(
                format_args!(
                    "the pool has `synchronous` at {level}, so a power cut may take a step that was reported as stored"
                ),
                "leave `synchronous` at FULL in the options of the pool, or open the store with `allow_weak_durability`",
            ));
        }
        if !place.follows_keys {
            return Err(Error::store_settings(
                "the pool does not follow foreign keys, and rows that belong together would part",
                "leave `foreign_keys` on in the options of the pool, as sqlx does by default",
            ));
        }
        let store = Sqlite::open(&place.path, options).await?;
        // Nobody else can have set it: the store was made here.
        drop(store.pool.set(StepPool::Applications(pool)));
        Ok(store)
    }

    /// The pool for the transactions of steps: the application's, or one of the store's own.
    pub(super) fn pool(&self) -> &SqlitePool {
        let pool = self.pool.get_or_init(|| {
            let options = &self.shared.options;
            let synchronous = if options.allow_weak_durability {
                SqliteSynchronous::Normal
            } else {
                SqliteSynchronous::Full
            };
            let connect = SqliteConnectOptions::new()
                .filename(&self.shared.path)
                .synchronous(synchronous)
                .busy_timeout(options.busy_timeout);
            StepPool::Own(
                SqlitePoolOptions::new()
                    .max_connections(MAX_STEP_CONNECTIONS)
                    .connect_lazy_with(connect),
            )
        });
        match pool {
            StepPool::Applications(pool) | StepPool::Own(pool) => pool,
        }
    }

    /// Begins no more transactions of steps. The application's pool stays open: it is not ours.
    pub(in super::super) async fn close_pool(&self) {
        self.shared.steps.close();
        if let Some(StepPool::Own(pool)) = self.pool.get() {
            pool.close().await;
        }
    }
}
