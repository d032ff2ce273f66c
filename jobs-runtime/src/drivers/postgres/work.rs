//! One request as one transaction: load what it touches, apply the model to it, store what has
//! changed.

use super::fault::Fault;
use super::load::{Lock, load};
use super::save::{Query, save};
use super::statements::Statements;
use crate::core::{JobId, Timestamp};
use crate::drivers::model::{Need, Store};
use crate::drivers::postgres::columns::Columns;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use std::collections::BTreeSet;

/// Times that a verb is applied to what was loaded before it is given up: each one loads more, and
/// a chain of jobs that wait for each other is as long as that.
const ROUND_LIMIT: usize = 10_000;

/// A transaction at one instant of the store's clock.
pub(super) struct Tx<'c> {
    connection: &'c mut PgConnection,
    pub(super) sql: &'c Statements,
    pub(super) now: Timestamp,
    /// Settings are read to be written.
    pub(super) locks_settings: bool,
    /// Rows that somebody else had locked, and that were read without a lock.
    pub(super) busy: BTreeSet<JobId>,
}

impl<'c> Tx<'c> {
    /// In a transaction that has begun.
    pub(super) fn at(
        connection: &'c mut PgConnection,
        sql: &'c Statements,
        now: Timestamp,
    ) -> Self {
        Tx {
            connection,
            sql,
            now,
            locks_settings: false,
            busy: BTreeSet::new(),
        }
    }

    /// Moves on to the instant that it is by the store's clock.
    pub(super) async fn move_on(&mut self) -> Result<(), Fault> {
        self.now = time(self.connection, self.sql).await?;
        Ok(())
    }

    pub(super) async fn all(&mut self, query: Query<'_>) -> Result<Vec<PgRow>, Fault> {
        Ok(query.fetch_all(&mut *self.connection).await?)
    }

    pub(super) async fn run(&mut self, query: Query<'_>) -> Result<(), Fault> {
        query.execute(&mut *self.connection).await?;
        Ok(())
    }

    /// Rows that were changed.
    pub(super) async fn count(&mut self, query: Query<'_>) -> Result<u64, Fault> {
        Ok(query.execute(&mut *self.connection).await?.rows_affected())
    }
}

/// The store's clock.
pub(super) async fn time(
    connection: &mut PgConnection,
    sql: &Statements,
) -> Result<Timestamp, Fault> {
    let row = sqlx::query(&sql.clock).fetch_one(connection).await?;
    Columns::of(&row).instant()
}

/// Applies a verb to what is loaded until it lacks nothing.
pub(super) async fn settle<T>(
    tx: &mut Tx<'_>,
    set: &mut Store,
    lock: Lock,
    verb: impl Fn(&mut Store, Timestamp) -> T,
) -> Result<(T, Store), Fault> {
    for _ in 0..ROUND_LIMIT {
        let mut after = set.clone();
        let answer = verb(&mut after, tx.now);
        let known = after.known.get_or_insert_default();
        let lacking = known.take_lacking();
        if lacking.is_empty() {
            return Ok((answer, after));
        }
        load(tx, set, lacking, lock).await?;
    }
    Err(Fault::Corrupt(format!(
        "a request touches more than {ROUND_LIMIT} jobs that depend on each other"
    )))
}

/// Loads what is known to be needed, applies the verb, and stores what has changed.
pub(super) async fn apply<T>(
    tx: &mut Tx<'_>,
    first: BTreeSet<Need>,
    verb: impl Fn(&mut Store, Timestamp) -> T,
) -> Result<(T, Store), Fault> {
    let mut set = Store::working_set();
    load(tx, &mut set, first, Lock::Wait).await?;
    let (answer, after) = settle(tx, &mut set, Lock::Wait, verb).await?;
    save(tx, &set, &after).await?;
    Ok((answer, after))
}
