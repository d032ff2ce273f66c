//! What can be stored through a connection of sqlx, inside the caller's own transaction.

use super::super::connect::TRIES;
use super::super::fault::Fault;
use super::super::first::{of_commit, of_event, of_job};
use super::super::{Postgres, Shared, wake, work};
use super::stores::{self, Place, place};
use crate::Error;
use crate::contract::{
    Conflicted, Driver, EnqueueAnswer, Published, Transactional, check_event,
    through_its_connection,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use crate::drivers::model::{Need, Store};
use async_trait::async_trait;
use sqlx::{Connection, PgConnection, Transaction};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The level at which each statement sees what was committed before it: what is read after a lock is
/// as the holder before left it.
const ISOLATION: &str = "read committed";

#[async_trait]
impl Transactional for PgConnection {
    async fn store_time(&mut self) -> Result<Timestamp, Error> {
        let shared = enter(self).await?;
        let time = work::time(self, &shared.sql).await;
        time.map_err(Fault::before_write)
    }

    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error> {
        if !self.is_in_transaction() {
            return Err(Error::not_in_transaction());
        }
        belongs(&place(self).await?, driver)
    }

    async fn enqueue_here(
        &mut self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        let shared = enter(self).await?;
        enqueue(self, &shared, jobs, now).await
    }

    async fn publish_here(
        &mut self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        let shared = enter(self).await?;
        publish(self, &shared, events, now).await
    }

    async fn commit_here(
        &mut self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error> {
        let shared = enter(self).await?;
        self::commit(self, &shared, commit, now).await
    }
}

through_its_connection!(Transaction<'_, sqlx::Postgres>);

pub(super) async fn enqueue(
    connection: &mut PgConnection,
    shared: &Shared,
    jobs: &[NewJob],
    now: Option<Timestamp>,
) -> Result<Vec<EnqueueAnswer>, Error> {
    let first = jobs.iter().flat_map(of_job).collect();
    let verb = |store: &mut Store, now: Timestamp| -> Vec<EnqueueAnswer> {
        let enqueue = |job| store.enqueue(job, &shared.capabilities, now);
        jobs.iter().map(enqueue).collect()
    };
    match within(connection, shared, now, first, verb).await {
        // What the database says of the only job is said of it.
        Err(fault) if fault.is_one_items() && jobs.len() == 1 => {
            let refused = Conflicted::Refused(fault.before_write());
            Ok(vec![Err(refused)])
        }
        outcome => outcome.map_err(Fault::before_write),
    }
}

pub(super) async fn publish(
    connection: &mut PgConnection,
    shared: &Shared,
    events: &[NewEvent],
    now: Option<Timestamp>,
) -> Result<Vec<Published>, Error> {
    for event in events {
        check_event(event, &shared.capabilities)?;
    }
    let first = events.iter().flat_map(of_event).collect();
    let verb = |store: &mut Store, now: Timestamp| -> Vec<Published> {
        let publish = |event| store.publish(event, now);
        events.iter().map(publish).collect()
    };
    let published = within(connection, shared, now, first, verb).await;
    published.map_err(Fault::before_write)
}

pub(super) async fn commit(
    connection: &mut PgConnection,
    shared: &Shared,
    commit: &Commit,
    now: Option<Timestamp>,
) -> Result<CommitAnswer, Error> {
    let first = of_commit(commit).into_iter().collect();
    let verb = |store: &mut Store, now: Timestamp| store.commit(commit, &shared.capabilities, now);
    let committed = within(connection, shared, now, first, verb).await;
    committed.map_err(Fault::before_write)
}

/// Applies a verb in a transaction of the caller's: all of it or, if it fails or is dropped, nothing.
/// Where another transaction has stored the same row, it is done again and finds that one.
async fn within<T: Send>(
    connection: &mut PgConnection,
    shared: &Shared,
    now: Option<Timestamp>,
    first: BTreeSet<Need>,
    verb: impl Fn(&mut Store, Timestamp) -> T + Send + Sync,
) -> Result<T, Fault> {
    let mut tries = 0;
    loop {
        match attempt(connection, shared, now, first.clone(), &verb).await {
            Err(fault) if fault.is_twin() && tries < TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}

async fn attempt<T: Send>(
    connection: &mut PgConnection,
    shared: &Shared,
    now: Option<Timestamp>,
    first: BTreeSet<Need>,
    verb: impl Fn(&mut Store, Timestamp) -> T + Send + Sync,
) -> Result<T, Fault> {
    // sqlx undoes a savepoint that is dropped before anything else happens on the connection.
    let mut savepoint = connection.begin().await?;
    let now = match now {
        Some(now) => now,
        None => work::time(&mut savepoint, &shared.sql).await?,
    };
    let mut tx = work::Tx::at(&mut savepoint, &shared.sql, now);
    let (answer, mut after) = work::apply(&mut tx, first, verb).await?;
    // The server passes it on when the caller commits, to this process as well.
    wake::tell(&mut savepoint, shared, &after.take_hints(), None).await?;
    savepoint.commit().await?;
    Ok(answer)
}

/// Finds the store, or says what stands in the way.
async fn enter(connection: &mut PgConnection) -> Result<Arc<Shared>, Error> {
    if !connection.is_in_transaction() {
        return Err(Error::not_in_transaction());
    }
    let place = place(connection).await?;
    let Some(shared) = stores::find(&place) else {
        return Err(Error::store_settings(
            format_args!("this process has no store open in {place}"),
            "connect with the pool that the transaction comes from, `Jobs::from_pool(pool)`, and keep it; jobs in another schema than \"jobs\" are found by the setting `jobs.schema` of the pool's connections",
        ));
    };
    if place.isolation != ISOLATION {
        return Err(Error::store_settings(
            format_args!(
                "the transaction is {}, and sees nothing of what others have committed since it began",
                place.isolation
            ),
            "begin it as READ COMMITTED, which is the default",
        ));
    }
    if place.is_weak {
        let strong = sqlx::query("SET LOCAL synchronous_commit = on")
            .execute(connection)
            .await;
        strong.map_err(|error| Fault::Sqlx(error).before_write())?;
    }
    Ok(shared)
}

/// Whether a place is where a driver has its jobs.
pub(super) fn belongs(theirs: &Place, driver: &dyn Driver) -> Result<(), Error> {
    let known = driver
        .transactions()
        .and_then(|any| any.downcast_ref::<Postgres>());
    let ours: &dyn std::fmt::Display = match known {
        Some(store) if store.shared.place.is(theirs) => return Ok(()),
        Some(store) => &store.shared.place,
        None => &driver.capabilities().driver,
    };
    Err(Error::store_settings(
        format_args!("the transaction is in {theirs}, and the jobs are in {ours}"),
        "begin the transaction on the pool that the jobs were connected with: `Jobs::from_pool(pool)`",
    ))
}
