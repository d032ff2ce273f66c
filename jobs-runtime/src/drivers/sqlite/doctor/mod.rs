//! The doctor of a SQLite file. It opens the file by itself and only reads, so it can look at one
//! that the store refuses.
//!
//! `rows.rs` knows which rows contradict each other; here are the file, its settings and its log.

mod rows;

use super::connect::{self, Access};
use super::db::Db;
use super::fault::Fault;
use super::log_files::beside;
use super::migrate::{newest_of, version};
use super::{SqliteOptions, log, migrations, place};
use crate::Error;
use crate::contract::{Gravity, Report};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Lines of each of SQLite's own checks that are told.
const LINE_LIMIT: usize = 20;
/// A log beyond this size is not being copied back, in bytes: it is cut to half of it else.
const LOG_WARN_BYTES: u64 = 128 * 1024 * 1024;

const RESTORE: &str = "stop the workers, copy all files of the store as they are, and restore the \
                       last good backup";

/// Everything there is to say of the file at `path`, found away from the async threads.
pub(super) async fn report(path: PathBuf, options: SqliteOptions) -> Result<Report, Error> {
    let looking = tokio::task::spawn_blocking(move || examine(&path, &options));
    looking.await.map_err(|error| {
        Error::driver_unavailable("SQLite", error, "report this: the doctor panicked")
    })
}

fn examine(path: &Path, options: &SqliteOptions) -> Report {
    let mut report = Report::of("sqlite");
    report.note("path", path.display());
    report.note("sqlite_version", rusqlite::version());
    let log_bytes = bytes(&beside(path, "-wal"));
    report.note("file_bytes", bytes(path));
    report.note("log_bytes", log_bytes);
    for refusal in [connect::check_library(), place::check(path)] {
        if let Err(error) = refusal {
            refused(&mut report, &error);
        }
    }
    if let Err(error) = log::check(path) {
        refused(&mut report, &error);
        // To read the file is to make a new index for what is left of the log, and then nothing
        // would show any more that there had been more.
        return report;
    }
    if !path.exists() {
        let what = format!("there is no file {}", path.display());
        let remedy = "check the path; the store is created when it is first opened";
        report.find(Gravity::Warning, "no_file", what, remedy);
        return report;
    }
    if log_bytes > LOG_WARN_BYTES {
        let what = format!("the log has {log_bytes} bytes, and is not copied back into the file");
        let remedy = "end the read that holds it back: a transaction that somebody left open, in \
                      this program or in a shell on the file";
        report.find(Gravity::Warning, "log_grows", what, remedy);
    }
    if options.allow_weak_durability {
        report.note("durability", "process");
        let what = "the store is opened with `allow_weak_durability`: a power cut may take the \
                    last commits";
        let remedy = "leave the option out, unless that was meant";
        report.find(Gravity::Warning, "weak_durability", what, remedy);
    } else {
        report.note("durability", "machine");
    }
    let looked = connect::open(path, options, Access::Read)
        .and_then(|connection| inside(&mut report, &connection, options));
    if let Err(fault) = looked {
        refused(&mut report, &fault.before_write(path));
    }
    report
}

/// What only a file that can be opened tells.
fn inside(
    report: &mut Report,
    connection: &Connection,
    options: &SqliteOptions,
) -> Result<(), Fault> {
    for name in [
        "journal_mode",
        "page_size",
        "page_count",
        "freelist_count",
        "auto_vacuum",
    ] {
        let value: rusqlite::types::Value =
            connection.pragma_query_value(None, name, |row| row.get(0))?;
        report.note(name, told(&value));
    }
    whole(report, connection)?;
    let (found, newest) = (version(connection)?, newest_of(migrations()));
    report.note("schema_version", found);
    match found {
        0 => {
            let what = "the file holds no store";
            let remedy = "check the path; the store is created when it is first opened";
            report.find(Gravity::Warning, "no_store", what, remedy);
            return Ok(());
        }
        _ if found > newest => {
            refused(report, &Error::schema_newer(found, newest));
            return Ok(());
        }
        _ if found < newest => {
            let what = format!("the schema has version {found}, and this program knows {newest}");
            let remedy = "open the store with this program: it brings the schema up to date";
            report.find(Gravity::Warning, "schema_older", what, remedy);
            return Ok(());
        }
        _ => {}
    }
    rows::examine(report, Db::Own(connection), options.env.clock.now())
}

/// SQLite's own checks: of the pages and indexes, and of rows that refer to others.
fn whole(report: &mut Report, connection: &Connection) -> Result<(), Fault> {
    let mut check = connection.prepare("PRAGMA integrity_check")?;
    let mut lines = check.query([])?;
    let mut told = 0;
    while let Some(line) = lines.next()? {
        let line: String = line.get(0)?;
        if line != "ok" && told < LINE_LIMIT {
            told += 1;
            report.find(Gravity::Damage, "file_damaged", line, RESTORE);
        }
    }
    let mut check = connection.prepare(
        "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2",
    )?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let (table, parent, count): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let what = format!("{count} rows of {table} belong to rows of {parent} that are not there");
        report.find(Gravity::Damage, "orphan_rows", what, RESTORE);
    }
    Ok(())
}

fn refused(report: &mut Report, error: &Error) {
    let name = error.code().trim_start_matches("X_").to_lowercase();
    report.find(Gravity::Damage, &name, error.to_string(), error.fix());
}

fn told(value: &rusqlite::types::Value) -> String {
    match value {
        rusqlite::types::Value::Integer(number) => number.to_string(),
        rusqlite::types::Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

fn bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}
