//! A connection with the settings that the promises rest on, each set and read back.

use super::fault::Fault;
use super::options::SqliteOptions;
use crate::Error;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};

/// The first release without the defect that could corrupt the log of a file which two processes
/// checkpoint at once: 3.51.3.
const MIN_SQLITE_VERSION: i32 = 3_051_003;

/// Prepared statements that a connection keeps: all there are, with room for the lists' variants.
const STATEMENT_CACHE_CAPACITY: usize = 128;

/// Pages that a writing connection keeps in memory, in KiB (negative, as SQLite wants it). With less
/// it reads the same index pages again and again; with more, a worker grows with its backlog.
const CACHE_SIZE_KIB: i64 = -8 * 1_024;

/// The log is cut back to this size when it starts anew, in bytes.
const LOG_SIZE_LIMIT_BYTES: i64 = 64 * 1024 * 1024;

/// How long to wait before asking again for a lock that SQLite itself does not wait for.
const RETRY_AFTER: Duration = Duration::from_millis(5);

/// How often a switch that changed nothing is made again.
const SWITCH_LIMIT_TRIES: u32 = 3;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Refuses a library that can damage the file.
pub(super) fn check_library() -> Result<(), Error> {
    if rusqlite::version_number() >= MIN_SQLITE_VERSION {
        return Ok(());
    }
    Err(Error::store_settings(
        format_args!("SQLite {} can damage a shared file", rusqlite::version()),
        "link SQLite 3.51.3 or newer, as the `bundled` feature of rusqlite does",
    ))
}

/// Opens the file, creating it if need be.
pub(super) fn open(
    path: &Path,
    options: &SqliteOptions,
    access: Access,
) -> Result<Connection, Fault> {
    // Each connection stays with one thread at a time, so SQLite's own mutex is not needed. No
    // URI flag: a path is a path, whatever characters are in it.
    let flags = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    connection.busy_timeout(options.busy_timeout)?;
    if access == Access::Write {
        set_up_writer(&connection, options)?;
    }
    check(&connection, options, access)?;
    Ok(connection)
}

fn set_up_writer(connection: &Connection, options: &SqliteOptions) -> Result<(), Fault> {
    // Before the first table: afterwards it would take a rewrite of the whole file. And not where it
    // says nothing new: it waits for the write lock, which others may hold for long.
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if pages == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    wal(connection, options.busy_timeout)?;
    let level = if options.allow_weak_durability {
        "NORMAL"
    } else {
        "FULL"
    };
    connection.pragma_update(None, "synchronous", level)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Elsewhere than on macOS the next one changes nothing; there a plain sync stops at the cache
    // of the disk.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "cache_size", CACHE_SIZE_KIB)?;
    connection.pragma_update(None, "journal_size_limit", LOG_SIZE_LIMIT_BYTES)?;
    Ok(())
}

/// Switches the file to a write-ahead log. Of several processes that do it at once, SQLite turns
/// some away without waiting. And if it has just undone what a crash left of a transaction, it
/// keeps the old mode without a word, but only that once.
fn wal(connection: &Connection, patience: Duration) -> Result<(), Fault> {
    let start = Instant::now();
    let mut kept = 0;
    loop {
        match finished(connection, "PRAGMA journal_mode = WAL") {
            Ok(Some(mode)) if mode != "wal" && kept < SWITCH_LIMIT_TRIES => kept += 1,
            Err(fault) if fault.is_busy() && start.elapsed() < patience => {
                std::thread::sleep(RETRY_AFTER);
            }
            // What the mode is in the end is read back with the other settings.
            done => return done.map(drop),
        }
    }
}

/// Runs a statement up to its end, and gives what its first row says in words. The row comes before
/// its commit: whoever stops there is told of a switch that a fault of the disk may still undo.
pub(super) fn finished(connection: &Connection, statement: &str) -> Result<Option<String>, Fault> {
    let mut statement = connection.prepare(statement)?;
    let mut rows = statement.query([])?;
    let mut said = None;
    while let Some(row) = rows.next()? {
        said = said.or_else(|| row.get::<_, String>(0).ok());
    }
    Ok(said)
}

/// Reads every setting back: a pragma that SQLite does not understand or cannot follow is no error
/// to it.
fn check(connection: &Connection, options: &SqliteOptions, access: Access) -> Result<(), Fault> {
    let number = |name: &str| -> Result<i64, Fault> {
        Ok(connection.pragma_query_value(None, name, |row| row.get(0))?)
    };
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    expect(
        "journal_mode",
        mode == "wal",
        &mode,
        "a file on a local disk, never `:memory:`",
    )?;
    let timeout = i64::try_from(options.busy_timeout.as_millis()).unwrap_or(i64::MAX);
    let found = number("busy_timeout")?;
    expect(
        "busy_timeout",
        found == timeout,
        &found,
        "a timeout below 24 days",
    )?;
    if access == Access::Write {
        let level = number("synchronous")?;
        let least = if options.allow_weak_durability { 1 } else { 2 };
        expect("synchronous", level >= least, &level, "the bundled SQLite")?;
        let keys = number("foreign_keys")?;
        expect("foreign_keys", keys == 1, &keys, "the bundled SQLite")?;
    }
    Ok(())
}

fn expect(
    name: &str,
    holds: bool,
    found: &dyn std::fmt::Display,
    remedy: &str,
) -> Result<(), Fault> {
    if holds {
        return Ok(());
    }
    Err(Fault::Refused(Error::store_settings(
        format_args!("the setting `{name}` reads back as {found}"),
        format!("use {remedy}"),
    )))
}
