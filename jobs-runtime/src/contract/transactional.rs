//! Writing inside a transaction of the caller's own: what a store that can do so must offer.
//!
//! The types are the driver's: one for the connections that an application has, one for the
//! transactions that `tx` steps are given. A type says which store it belongs to, so a program
//! that asks for the wrong one does not compile.

use super::{Driver, EnqueueAnswer, Published};
use crate::Error;
use crate::core::{Commit, CommitAnswer, Millis, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;

/// A connection of the caller's own, inside a transaction of the caller's own.
///
/// What is stored through it becomes visible with the caller's COMMIT, and vanishes with the
/// caller's ROLLBACK. Each call is applied whole or not at all, also when its future is dropped
/// half way. The rules of [`Driver`] hold here too.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transaction that jobs can be stored in",
    label = "not a transaction of a store",
    note = "give `&mut tx`, where `tx` is a `sqlx::Transaction` on the database that holds the jobs: a SQLite file, with the feature `sqlx-sqlite` of `jobs-runtime`, or a Postgres database, with `postgres`"
)]
pub trait Transactional: Send {
    /// The store's time, once the transaction may write.
    ///
    /// # Errors
    /// `X_OUTBOX_NO_TX` if the connection is in no transaction, `X_STORE_SETTINGS` if there is no
    /// store where it leads to.
    async fn store_time(&mut self) -> Result<Timestamp, Error>;

    /// Refuses a connection that leads elsewhere than to this store.
    ///
    /// # Errors
    /// `X_STORE_SETTINGS` naming both.
    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error>;

    /// As [`Driver::enqueue`].
    ///
    /// # Errors
    /// As [`Transactional::store_time`], and `X_DRIVER_UNAVAILABLE` if the lock for writing cannot
    /// be had.
    async fn enqueue_here(
        &mut self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error>;

    /// As [`Driver::publish`].
    ///
    /// # Errors
    /// As [`Transactional::enqueue_here`].
    async fn publish_here(
        &mut self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error>;

    /// As [`Driver::commit`]: decided on the row as it stands, locked until the transaction ends.
    ///
    /// # Errors
    /// As [`Transactional::enqueue_here`].
    async fn commit_here(
        &mut self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error>;
}

/// A transaction that the worker begins for a step: `step!("debit", tx = |tx: &mut SqliteTx| ..)`.
///
/// Dropped before [`StepTransaction::end`], it is rolled back.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "a `tx` step cannot be given a `{Self}`",
    label = "not a transaction that a worker can begin",
    note = "the type says which store the step needs: `SqliteTx` is a transaction on the SQLite file that holds the jobs, `PostgresTx` one on the Postgres database"
)]
pub trait StepTransaction: Transactional + Sized + 'static {
    /// Begins one that holds the right to write, once nobody else in this process has it.
    ///
    /// # Errors
    /// `X_NOT_IMPLEMENTED` if the store is another kind; `X_DRIVER_UNAVAILABLE` if the lock cannot
    /// be had for now.
    async fn begin(driver: &dyn Driver) -> Result<Self, Error>;

    /// The shortest visibility timeout that a job with a live lease asked for: the leases that
    /// this transaction keeps from being extended. `None` if it keeps none.
    ///
    /// # Errors
    /// If it cannot be read.
    async fn shortest_lease(&mut self, now: Option<Timestamp>) -> Result<Option<Millis>, Error>;

    /// COMMIT.
    ///
    /// # Errors
    /// `X_TX_REFUSED` if the caller's own writes may not stand; nothing is stored then, as with
    /// every other error but `X_OUTCOME_UNKNOWN`.
    async fn end(self) -> Result<(), Error>;

    /// ROLLBACK, waited for.
    async fn undo(self);
}

/// Has a transaction do what its connection does, which it dereferences to.
#[allow(
    unused_macros,
    reason = "there are no transactions in a build without databases"
)]
macro_rules! through_its_connection {
    ($transaction:ty) => {
        #[async_trait::async_trait]
        impl $crate::contract::Transactional for $transaction {
            async fn store_time(&mut self) -> Result<$crate::core::Timestamp, $crate::Error> {
                (**self).store_time().await
            }

            async fn belongs_to(
                &mut self,
                driver: &dyn $crate::contract::Driver,
            ) -> Result<(), $crate::Error> {
                (**self).belongs_to(driver).await
            }

            async fn enqueue_here(
                &mut self,
                jobs: &[$crate::core::NewJob],
                now: Option<$crate::core::Timestamp>,
            ) -> Result<Vec<$crate::contract::EnqueueAnswer>, $crate::Error> {
                (**self).enqueue_here(jobs, now).await
            }

            async fn publish_here(
                &mut self,
                events: &[$crate::core::NewEvent],
                now: Option<$crate::core::Timestamp>,
            ) -> Result<Vec<$crate::contract::Published>, $crate::Error> {
                (**self).publish_here(events, now).await
            }

            async fn commit_here(
                &mut self,
                commit: &$crate::core::Commit,
                now: Option<$crate::core::Timestamp>,
            ) -> Result<$crate::core::CommitAnswer, $crate::Error> {
                (**self).commit_here(commit, now).await
            }
        }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(crate) use through_its_connection;
