//! The schema and its versions, in a table of its own.
//!
//! All steps that are missing run in one write transaction: of several processes one migrates
//! while the others wait and then find nothing left to do, and a process that is killed leaves
//! the file as it was.

use super::connect::{self, Access};
use super::db::Db;
use super::fault::Fault;
use super::log_files::beside;
use super::options::SqliteOptions;
use super::sql;
use crate::Error;
use crate::torture::crash_point;
use rusqlite::{Connection, params};
use std::path::Path;

/// One step of the schema.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its number, from 1 without gaps.
    pub version: u32,
    /// What it is about.
    pub name: &'static str,
    /// Its statements, as they are run.
    pub sql: &'static str,
}

/// All steps, in order. Print them to see or review what [`super::Sqlite::open`] does.
#[must_use]
pub fn migrations() -> &'static [Migration] {
    &[
        Migration {
            version: 1,
            name: "store",
            sql: include_str!("migrations/0001_store.sql"),
        },
        Migration {
            version: 2,
            name: "children",
            sql: include_str!("migrations/0002_children.sql"),
        },
        Migration {
            version: 3,
            name: "followers",
            sql: include_str!("migrations/0003_followers.sql"),
        },
        Migration {
            version: 4,
            name: "replaced",
            sql: include_str!("migrations/0004_replaced.sql"),
        },
        Migration {
            version: 5,
            name: "limits",
            sql: include_str!("migrations/0005_limits.sql"),
        },
        Migration {
            version: 6,
            name: "windows",
            sql: include_str!("migrations/0006_windows.sql"),
        },
        Migration {
            version: 7,
            name: "retention",
            sql: include_str!("migrations/0007_retention.sql"),
        },
        Migration {
            version: 8,
            name: "chains",
            sql: include_str!("migrations/0008_chains.sql"),
        },
    ]
}

const LEDGER: &str = "CREATE TABLE IF NOT EXISTS jobs_migration (
  version INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
) STRICT";
pub(super) const APPLIED: &str = "SELECT coalesce(max(version), 0) FROM jobs_migration";
const RECORD: &str = "INSERT INTO jobs_migration (version, name) VALUES (?1, ?2)";
const HAS_LEDGER: &str =
    "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'jobs_migration')";

/// Files up to this size are checked whole when they are opened, in bytes. Larger ones take too
/// long, and show their damage where it is met.
const CHECK_LIMIT_BYTES: u64 = 64 * 1024 * 1024;
/// Walks whole tables, and so is none of the statements that a store runs while it serves.
const ASTRAY: &str = include_str!("astray.sql");

/// Brings the file up to date and makes sure that it can be read.
pub(super) fn prepare(path: &Path, options: &SqliteOptions) -> Result<(), Fault> {
    let is_undone = beside(path, "-journal").exists();
    let connection = connect::open(path, options, Access::Write)?;
    let length = std::fs::metadata(path).map_or(0, |file| file.len());
    let is_checked = length <= CHECK_LIMIT_BYTES;
    if is_checked {
        check_whole(&connection, path)?;
    }
    apply(&connection, migrations())?;
    for (name, statement) in sql::ALL {
        connection.prepare(statement).map_err(|error| {
            Fault::Corrupt(format!("the schema does not fit statement {name}: {error}"))
        })?;
    }
    if is_checked {
        check_ids(&connection)?;
    }
    drop(connection);
    if is_undone {
        // What a crash left of the switch to the log was undone, and a log that lay there was taken
        // up all the same. It went with its last user: now the file itself is switched.
        connect::open(path, options, Access::Write)?;
    }
    Ok(())
}

/// The version that this program writes.
pub(super) fn newest_of(steps: &[Migration]) -> u32 {
    steps.last().map_or(0, |step| step.version)
}

/// Runs the steps that the file lacks.
fn apply(connection: &Connection, steps: &[Migration]) -> Result<(), Fault> {
    let newest = newest_of(steps);
    // Without the lock first: most opens find nothing to do, and none of them should wait.
    if version(connection)? == newest {
        return Ok(());
    }
    connection.execute_batch(sql::BEGIN)?;
    crash_point!("driver.sqlite.migrate.after_begin");
    let outcome = apply_missing(connection, steps, newest);
    if outcome.is_err() {
        // The first fault is the one to tell; a transaction that is over already is no harm.
        drop(connection.execute_batch(sql::ROLLBACK));
        return outcome;
    }
    crash_point!("driver.sqlite.migrate.before_commit");
    connection.execute_batch(sql::COMMIT)?;
    crash_point!("driver.sqlite.migrate.after_commit");
    // The schema goes into the file itself at once: a log that is lost or cut short later can
    // then never turn the store into an empty one.
    connect::finished(connection, "PRAGMA wal_checkpoint(PASSIVE)").map(drop)
}

fn apply_missing(connection: &Connection, steps: &[Migration], newest: u32) -> Result<(), Fault> {
    connection.execute_batch(LEDGER)?;
    let applied = version(connection)?;
    if applied > newest {
        return Err(Fault::Refused(Error::schema_newer(applied, newest)));
    }
    for step in steps.iter().filter(|step| step.version > applied) {
        connection.execute_batch(step.sql)?;
        crash_point!("driver.sqlite.migrate.step");
        connection.execute(RECORD, params![step.version, step.name])?;
    }
    Ok(())
}

/// The last step that was applied; 0 for a file without a store.
pub(super) fn version(connection: &Connection) -> Result<u32, Fault> {
    let db = Db::Own(connection);
    let known: Option<bool> = db.first(HAS_LEDGER, [], |columns| columns.take())?;
    if known != Some(true) {
        return Ok(0);
    }
    let applied = db.first(APPLIED, [], |columns| columns.take())?;
    Ok(applied.unwrap_or(0))
}

/// What the check of a file says of a row that breaks a rule of its table. The file itself is whole:
/// such a row is set aside when it is met, and must not keep all others from being served.
const OF_ONE_ROW: [&str; 2] = ["CHECK constraint failed in ", "NULL value in "];

/// Refuses a file whose structure is damaged, before an empty answer is taken for an empty queue.
fn check_whole(connection: &Connection, path: &Path) -> Result<(), Fault> {
    let db = Db::Own(connection);
    // Not the quick one: that leaves out whether each index has the ids of its table.
    let found = db.all("PRAGMA integrity_check", [], |columns| columns.take())?;
    let of_one_row = |found: &String| OF_ONE_ROW.iter().any(|kind| found.starts_with(kind));
    for found in found.into_iter().filter(|found| found != "ok") {
        if !of_one_row(&found) {
            return Err(Fault::Corrupt(found));
        }
        tracing::error!(path = %path.display(), found, "a row of the store breaks a rule of its table, as if somebody had edited it; what relies on it is set aside");
    }
    Ok(())
}

/// Refuses a file in which an id has changed: nobody would find what hangs on it, and nothing else
/// would tell.
fn check_ids(connection: &Connection) -> Result<(), Fault> {
    let astray: Option<Option<String>> =
        Db::Own(connection).first(ASTRAY, [], |columns| columns.take())?;
    astray
        .flatten()
        .map_or(Ok(()), |found| Err(Fault::Corrupt(found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    fn tables(connection: &Connection) -> i64 {
        connection
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table'",
                [],
                |row| row.get(0),
            )
            .unwrap()
    }

    #[test]
    fn versions_count_from_one_without_gaps() {
        let versions: Vec<u32> = migrations().iter().map(|step| step.version).collect();
        let counted: Vec<u32> = (1..=versions.len() as u32).collect();
        assert_eq!(versions, counted);
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let connection = memory();
        apply(&connection, migrations()).unwrap();
        let before = connection.total_changes();
        apply(&connection, migrations()).unwrap();
        assert_eq!(connection.total_changes(), before);
    }

    #[test]
    fn a_newer_schema_is_refused_and_left_alone() {
        let connection = memory();
        apply(&connection, migrations()).unwrap();
        connection.execute(RECORD, params![99, "later"]).unwrap();
        let fault = apply(&connection, migrations()).unwrap_err();
        let error = fault.before_write(Path::new("jobs.db"));
        assert_eq!(error.code(), "X_SCHEMA_NEWER");
        assert_eq!(version(&connection).unwrap(), 99);
    }

    #[test]
    fn a_step_that_fails_half_way_leaves_nothing_behind() {
        let connection = memory();
        let broken = [
            migrations()[0],
            Migration {
                version: 2,
                name: "broken",
                sql: "CREATE TABLE jobs_half (a INTEGER) STRICT; CREATE TABLE nonsense",
            },
        ];
        apply(&connection, &broken).unwrap_err();
        assert_eq!(tables(&connection), 0);
        apply(&connection, migrations()).unwrap();
        let newest = migrations().last().map(|step| step.version);
        assert_eq!(version(&connection).ok(), newest);
    }
}
