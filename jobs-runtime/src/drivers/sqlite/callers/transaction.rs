//! What can be stored through a connection of sqlx, inside the caller's own transaction.

use super::super::fault::Fault;
use super::super::{Shared, Sqlite, commit, enqueue, migrate, publish, sql};
use super::link::{fault, within};
use super::stores::{self, Found};
use crate::Error;
use crate::contract::{
    Driver, EnqueueAnswer, Published, Transactional, check_event, through_its_connection,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;
use rusqlite::ErrorCode;
use sqlx::{Connection, Row, Sqlite as SqlxSqlite, SqliteConnection, Transaction};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[async_trait]
impl Transactional for SqliteConnection {
    async fn store_time(&mut self) -> Result<Timestamp, Error> {
        Ok(enter(self).await?.clock.now())
    }

    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error> {
        let theirs = enter(self).await?;
        let theirs = stores::whole(&theirs.path);
        let ours = driver
            .transactions()
            .and_then(|any| any.downcast_ref::<Sqlite>());
        let ours = ours.map(|store| stores::whole(&store.shared.path));
        match ours {
            Some(ours) if ours == theirs => Ok(()),
            Some(ours) => Err(elsewhere(&theirs, &ours.display())),
            None => Err(elsewhere(&theirs, &driver.capabilities().driver)),
        }
    }

    async fn enqueue_here(
        &mut self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        let shared = enter(self).await?;
        let jobs = jobs.to_vec();
        within(self, shared, now, move |tx| enqueue::enqueue(tx, &jobs)).await
    }

    async fn publish_here(
        &mut self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        let shared = enter(self).await?;
        for event in events {
            check_event(event, &shared.capabilities)?;
        }
        let events = events.to_vec();
        within(self, shared, now, move |tx| publish::publish(tx, &events)).await
    }

    async fn commit_here(
        &mut self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error> {
        let shared = enter(self).await?;
        let commits = [commit.clone()];
        let answers = within(self, shared, now, move |tx| commit::commit(tx, &commits)).await?;
        let none = || Error::store_corrupt("a commit that was answered with nothing");
        answers.into_iter().next().ok_or_else(none)
    }
}

through_its_connection!(Transaction<'_, SqlxSqlite>);

/// Takes the write lock and finds the store, or says what stands in the way.
pub(super) async fn enter(connection: &mut SqliteConnection) -> Result<Arc<Shared>, Error> {
    if !connection.is_in_transaction() {
        return Err(Error::not_in_transaction());
    }
    if has_ended(connection).await? {
        return Err(Error::not_in_transaction());
    }
    lock(connection).await?;
    let place = place(connection).await?;
    if !place.follows_keys {
        return Err(Error::store_settings(
            "the connection does not follow foreign keys, and rows that belong together would part",
            "leave `foreign_keys` on in the options of the pool, as sqlx does by default",
        ));
    }
    match stores::find(&place.path) {
        Found::Open(shared) => Ok(shared),
        Found::Closed(shared) => {
            check_schema(connection, &shared.path).await?;
            Ok(shared)
        }
    }
}

/// SQLite ends a transaction by itself after some faults, such as `INSERT OR ROLLBACK`, and sqlx
/// does not hear of it. A savepoint would then be a transaction of its own, and commit alone.
async fn has_ended(connection: &mut SqliteConnection) -> Result<bool, Error> {
    if sqlx::query(sql::BEGIN_READ)
        .execute(&mut *connection)
        .await
        .is_err()
    {
        // It cannot begin within a transaction: there is one.
        return Ok(false);
    }
    match sqlx::query(sql::ROLLBACK).execute(&mut *connection).await {
        Ok(_) => Ok(true),
        Err(error) => {
            let path = place(connection).await?.path;
            Err(fault(error).before_write(&path))
        }
    }
}

/// Takes the write lock, unless the transaction has it already.
pub(super) async fn lock(connection: &mut SqliteConnection) -> Result<(), Error> {
    match sqlx::query(sql::CALLER_LOCK)
        .execute(&mut *connection)
        .await
    {
        Ok(_) => Ok(()),
        Err(error) => {
            let unknown = error
                .as_database_error()
                .is_some_and(|error| error.message().starts_with("no such table"));
            let path = place(connection).await?.path;
            if unknown {
                return Err(no_store(&path));
            }
            Err(fault(error).before_write(&path))
        }
    }
}

pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) follows_keys: bool,
}

/// Where the connection leads to.
pub(super) async fn place(connection: &mut SqliteConnection) -> Result<Place, Error> {
    let row = sqlx::query(sql::CALLER_FILE).fetch_one(connection).await;
    let read = row.and_then(|row| {
        Ok(Place {
            path: PathBuf::from(row.try_get_unchecked::<String, _>(0)?),
            follows_keys: row.try_get_unchecked::<i64, _>(1)? == 1,
        })
    });
    read.map_err(|error| fault(error).before_write(Path::new("the caller's database")))
}

/// A file that nobody here has opened may hold a store of another version.
async fn check_schema(connection: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let newest = migrate::newest_of(migrate::migrations());
    let row = sqlx::query(migrate::APPLIED).fetch_one(connection).await;
    let version = row.and_then(|row| row.try_get_unchecked::<i64, _>(0));
    let version = version.map_err(|error| fault(error).before_write(path))?;
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    if version > newest {
        return Err(Error::schema_newer(version, newest));
    }
    if version < newest {
        return Err(Error::store_settings(
            format_args!(
                "the store in {} has schema version {version}, and this program writes {newest}",
                path.display()
            ),
            "connect to it once: `Jobs::from_pool(pool)` brings the schema up to date",
        ));
    }
    Ok(())
}

fn no_store(path: &Path) -> Error {
    Error::store_settings(
        format_args!("there are no jobs in {}", shown(path)),
        "let the jobs live in the application's own file: `Jobs::from_pool(pool)` with the pool that the transaction comes from",
    )
}

fn elsewhere(theirs: &Path, ours: &dyn std::fmt::Display) -> Error {
    Error::store_settings(
        format_args!(
            "the transaction is on {}, and the jobs are in {ours}",
            shown(theirs)
        ),
        "begin the transaction on the pool that the jobs were connected with: `Jobs::from_pool(pool)`",
    )
}

fn shown(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return "a database in memory".into();
    }
    path.display().to_string()
}

/// Whether the database refused what was written, and not the machine or another writer.
pub(super) fn is_refusal(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Sqlite(rusqlite::Error::SqliteFailure(failure, _))
            if failure.code == ErrorCode::ConstraintViolation
    )
}
