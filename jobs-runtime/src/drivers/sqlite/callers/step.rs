//! The transaction of a `tx` step: begun by the worker, written to by the user's body, ended with
//! the step's record in it.

use super::super::{Shared, Sqlite, sql};
use super::link::fault;
use super::transaction::{self, is_refusal};
use super::turn::OwnTurn;
use crate::Error;
use crate::contract::{Driver, StepTransaction, through_its_connection};
use crate::core::{Millis, Timestamp};
use crate::torture::crash_point;
use async_trait::async_trait;
use sqlx::{Row, Sqlite as SqlxSqlite, SqliteConnection, Transaction};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// The transaction that a `tx` step writes in: a connection of sqlx to the file that holds the
/// jobs.
///
/// It is used as a transaction of sqlx is, with `&mut **tx`, and ended by the worker: what the
/// body wrote and the record that it ran are stored together.
///
/// ```
/// # use jobs_runtime::prelude::*;
/// use jobs_runtime::SqliteTx;
///
/// async fn debit(tx: &mut SqliteTx, cents: i64, account: i64) -> Result<()> {
///     sqlx::query("UPDATE account SET cents = cents - ? WHERE id = ?")
///         .bind(cents)
///         .bind(account)
///         .execute(&mut **tx)
///         .await?;
///     Ok(())
/// }
/// ```
///
/// While it is open nobody else can write to the file, so it may be open for a third of the
/// shortest visibility timeout at most. Do not COMMIT or ROLLBACK in it by hand.
pub struct SqliteTx {
    // In this order: the lock of the file goes before the place in line.
    tx: Transaction<'static, SqlxSqlite>,
    shared: Arc<Shared>,
    _turn: OwnTurn,
    _place: OwnedSemaphorePermit,
}

impl std::fmt::Debug for SqliteTx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteTx").finish_non_exhaustive()
    }
}

impl Deref for SqliteTx {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.tx
    }
}

impl DerefMut for SqliteTx {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.tx
    }
}

#[async_trait]
impl StepTransaction for SqliteTx {
    async fn begin(driver: &dyn Driver) -> Result<SqliteTx, Error> {
        let known = driver
            .transactions()
            .and_then(|any| any.downcast_ref::<Sqlite>());
        let Some(store) = known else {
            return Err(Error::not_implemented(
                format_args!(
                    "a step with a `SqliteTx` needs a SQLite store, and this one is {}",
                    driver.capabilities().driver
                ),
                "connect with `Jobs::from_pool(pool)` or a `sqlite:` URL, also in tests: a file in a temporary folder will do",
            ));
        };
        let shared = store.shared.clone();
        shared.check_process()?;
        // One at a time, and waiting for that without a thread: those that wait would take the
        // threads which the one that writes needs.
        let place = shared.steps.clone().acquire_owned().await;
        let place = place.map_err(|_| super::super::writer::closed())?;
        let told = |error| fault(error).before_write(&shared.path);
        // The connection before the turn, so that nobody waits for the application's pool. A
        // transaction of this kind locks nothing until it is told to.
        let mut tx = store.pool().begin().await.map_err(told)?;
        let line = shared.clone();
        let turn = tokio::task::spawn_blocking(move || OwnTurn::take(line)).await;
        let turn = turn.map_err(|_| super::super::writer::closed())?;
        transaction::lock(&mut tx).await?;
        crash_point!("driver.sqlite.step.after_begin");
        Ok(SqliteTx {
            tx,
            shared,
            _turn: turn,
            _place: place,
        })
    }

    async fn shortest_lease(&mut self, now: Option<Timestamp>) -> Result<Option<Millis>, Error> {
        let now = now.unwrap_or_else(|| self.shared.clock.now());
        let query = sqlx::query(sql::LEASE_SHORTEST).bind(now.0);
        let row = query.fetch_one(&mut *self.tx).await;
        let shortest = row.and_then(|row| row.try_get_unchecked::<Option<i64>, _>(0));
        match shortest {
            Ok(shortest) => Ok(shortest.map(|span| Millis(span.cast_unsigned()))),
            Err(error) => Err(fault(error).before_write(&self.shared.path)),
        }
    }

    async fn end(self) -> Result<(), Error> {
        let SqliteTx {
            tx,
            shared,
            _turn,
            _place,
        } = self;
        crash_point!("driver.sqlite.step.before_commit");
        let ended = tx.commit().await;
        crash_point!("driver.sqlite.step.after_commit");
        ended.map_err(|error| {
            let fault = fault(error);
            if is_refusal(&fault) {
                return Error::tx_refused(fault.before_write(&shared.path));
            }
            if fault.is_busy() {
                return fault.before_write(&shared.path);
            }
            fault.after_write(&shared.path)
        })
    }

    async fn undo(self) {
        let SqliteTx {
            tx,
            shared: _,
            _turn,
            _place,
        } = self;
        if let Err(error) = tx.rollback().await {
            tracing::warn!(%error, "a transaction could not be rolled back; SQLite does so when its connection ends");
        }
    }
}

through_its_connection!(SqliteTx);
