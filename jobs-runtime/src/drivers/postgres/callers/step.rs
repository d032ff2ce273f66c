//! The transaction of a `tx` step: begun by the worker, written to by the user's body, ended with
//! the step's record in it.

use super::super::fault::Fault;
use super::super::{DEFAULT_SCHEMA, Postgres, Shared, work};
use super::transaction::{self, belongs};
use crate::Error;
use crate::contract::{Driver, EnqueueAnswer, Published, StepTransaction, Transactional};
use crate::core::{Commit, CommitAnswer, Millis, NewEvent, NewJob, Timestamp};
use crate::torture::crash_point;
use async_trait::async_trait;
use sqlx::{PgConnection, Transaction};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The transaction that a `tx` step writes in: a connection of sqlx to the Postgres database that
/// holds the jobs.
///
/// It is used as a transaction of sqlx is, with `&mut **tx`, and ended by the worker: what the
/// body wrote and the record that it ran are stored together.
///
/// ```
/// # use jobs_runtime::prelude::*;
/// use jobs_runtime::PostgresTx;
///
/// async fn debit(tx: &mut PostgresTx, cents: i64, account: i64) -> Result<()> {
///     sqlx::query("UPDATE account SET cents = cents - $1 WHERE id = $2")
///         .bind(cents)
///         .bind(account)
///         .execute(&mut **tx)
///         .await?;
///     Ok(())
/// }
/// ```
///
/// It may be open for a third of the shortest visibility timeout of the jobs that its worker runs.
/// Do not COMMIT or ROLLBACK in it by hand.
pub struct PostgresTx {
    tx: Transaction<'static, sqlx::Postgres>,
    shared: Arc<Shared>,
}

impl fmt::Debug for PostgresTx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresTx").finish_non_exhaustive()
    }
}

impl Deref for PostgresTx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.tx
    }
}

impl DerefMut for PostgresTx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.tx
    }
}

#[async_trait]
impl StepTransaction for PostgresTx {
    async fn begin(driver: &dyn Driver) -> Result<PostgresTx, Error> {
        let known = driver
            .transactions()
            .and_then(|any| any.downcast_ref::<Postgres>());
        let Some(store) = known else {
            return Err(Error::not_implemented(
                format_args!(
                    "a step with a `PostgresTx` needs a store in Postgres, and this one is {}",
                    driver.capabilities().driver
                ),
                "connect with `Jobs::from_pool(pool)` or a `postgres:` URL, also in tests",
            ));
        };
        let shared = Arc::clone(&store.shared);
        let begun = async {
            let mut tx = shared.steps.begin_with(shared.durable).await?;
            // For a body that hands on the connection within.
            if shared.sql.schema != DEFAULT_SCHEMA {
                sqlx::query("SELECT set_config('jobs.schema', $1, true)")
                    .bind(&shared.sql.schema)
                    .execute(&mut *tx)
                    .await?;
            }
            Ok(tx)
        };
        let tx = begun
            .await
            .map_err(|error| Fault::Sqlx(error).before_write())?;
        crash_point!("driver.postgres.step.after_begin");
        Ok(PostgresTx { tx, shared })
    }

    /// It keeps no heartbeat waiting but those of jobs that the body itself has locked.
    async fn shortest_lease(&mut self, _: Option<Timestamp>) -> Result<Option<Millis>, Error> {
        Ok(None)
    }

    async fn end(self) -> Result<(), Error> {
        crash_point!("driver.postgres.step.before_commit");
        let ended = self.tx.commit().await;
        crash_point!("driver.postgres.step.after_commit");
        ended.map_err(|error| {
            let fault = Fault::Sqlx(error);
            match fault.is_refusal() {
                true => Error::tx_refused(fault.before_write()),
                false => fault.after_commit(),
            }
        })
    }

    async fn undo(self) {
        if let Err(error) = self.tx.rollback().await {
            tracing::warn!(%error, "a transaction could not be rolled back; the server does so when its connection ends");
        }
    }
}

#[async_trait]
impl Transactional for PostgresTx {
    async fn store_time(&mut self) -> Result<Timestamp, Error> {
        let time = work::time(&mut self.tx, &self.shared.sql).await;
        time.map_err(Fault::before_write)
    }

    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error> {
        belongs(&self.shared.place, driver)
    }

    async fn enqueue_here(
        &mut self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        transaction::enqueue(&mut self.tx, &self.shared, jobs, now).await
    }

    async fn publish_here(
        &mut self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        transaction::publish(&mut self.tx, &self.shared, events, now).await
    }

    async fn commit_here(
        &mut self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error> {
        transaction::commit(&mut self.tx, &self.shared, commit, now).await
    }
}
