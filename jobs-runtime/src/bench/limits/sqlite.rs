//! The limits of a SQLite file: one connection, a write-ahead log, every commit on the disk.

use crate::bench::args::Scenario;
use crate::bench::sample::Sample;
use crate::bench::scenarios::{BULK_JOBS, Size};
use rusqlite::{Connection, Error};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

/// Rows that a claim takes, and a transaction deletes.
const CLAIM_ROWS: usize = 500;
/// The file that is overwritten to measure a sync, in bytes, and how much of it at once.
const SYNCED_FILE_BYTES: u64 = 16 * 1024 * 1024;
const SYNCED_BYTES: u64 = 8 * 1024;

const TABLES: &str = "\
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE job (id INTEGER PRIMARY KEY, name TEXT NOT NULL, input BLOB, \
        state INTEGER NOT NULL DEFAULT 0, run_at INTEGER NOT NULL DEFAULT 0, \
        attempt INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX job_ready ON job (run_at, id) WHERE state = 0;
    CREATE TABLE step (job INTEGER, seq INTEGER, name TEXT, output BLOB, \
        PRIMARY KEY (job, seq)) WITHOUT ROWID;";
const INSERT_JOB: &str = "INSERT INTO job (name, input) VALUES ('noop', '1')";
const INSERT_STEP: &str = "INSERT INTO step VALUES (?1, ?2, 's', '1')";
const CLAIM: &str = "UPDATE job SET state = 1, attempt = attempt + 1 WHERE id IN \
    (SELECT id FROM job WHERE state = 0 AND run_at <= 1 ORDER BY run_at, id LIMIT ?1) \
    RETURNING id, name, input";

pub(super) fn measure(
    scenario: Scenario,
    path: &Path,
    size: &Size,
) -> Result<Option<Sample>, Error> {
    if scenario == Scenario::Fsync {
        let synced = syncs(path, size.latencies);
        return synced
            .map(Some)
            .map_err(|error| Error::ToSqlConversionFailure(error.into()));
    }
    let store = Connection::open(path)?;
    store.execute_batch(TABLES)?;
    let in_flight = size.in_flight;
    let sample = match scenario {
        Scenario::Drain => queue(&store, size.drain)?,
        Scenario::Enqueue | Scenario::Enqueue32 | Scenario::Enqueue256 => {
            inserts(&store, size.enqueues, 1)?
        }
        Scenario::Enqueue1000 => inserts(&store, size.bulks * BULK_JOBS, BULK_JOBS)?,
        Scenario::Runs1 => steps(&store, size.steps(1), in_flight)?,
        Scenario::Runs5 => steps(&store, size.steps(5), in_flight)?,
        Scenario::Runs10 => steps(&store, size.steps(10), in_flight)?,
        Scenario::Runs100 => steps(&store, size.steps(100), in_flight)?,
        Scenario::Pickup => wake(&store, size.latencies)?,
        Scenario::Alone => alone(&store, size.alone)?,
        Scenario::Replay1000 => read(&store, size.replays.0)?,
        Scenario::Replay10000 => read(&store, size.replays.1)?,
        Scenario::Fsync
        | Scenario::MemoryWaiting
        | Scenario::MemoryRunning
        | Scenario::Stats
        | Scenario::List => return Ok(None),
    };
    Ok(Some(sample))
}

fn syncs(path: &Path, times: usize) -> std::io::Result<Sample> {
    let mut file = File::create(path)?;
    file.set_len(SYNCED_FILE_BYTES)?;
    let page = vec![7; SYNCED_BYTES as usize];
    for _ in 0..SYNCED_FILE_BYTES / SYNCED_BYTES {
        file.write_all(&page)?;
    }
    file.sync_all()?;
    let mut spans = Vec::with_capacity(times);
    for n in 0..times as u64 {
        file.seek(SeekFrom::Start(n * SYNCED_BYTES % SYNCED_FILE_BYTES))?;
        file.write_all(&page)?;
        let start = Instant::now();
        file.sync_data()?;
        spans.push(start.elapsed());
    }
    Ok(Sample::latency(spans))
}

fn inserts(store: &Connection, rows: usize, each: usize) -> Result<Sample, Error> {
    let mut insert = store.prepare(INSERT_JOB)?;
    let start = Instant::now();
    for _ in 0..rows / each {
        store.execute_batch("BEGIN IMMEDIATE")?;
        for _ in 0..each {
            insert.execute([])?;
        }
        store.execute_batch("COMMIT")?;
    }
    Ok(Sample::rate(rows, start.elapsed()))
}

/// Claims and deletes, a transaction each.
fn queue(store: &Connection, jobs: usize) -> Result<Sample, Error> {
    inserts(store, jobs, jobs)?;
    let (mut claim, mut delete) = (
        store.prepare(CLAIM)?,
        store.prepare("DELETE FROM job WHERE id = ?1")?,
    );
    let start = Instant::now();
    let mut done = 0;
    while done < jobs {
        let ids = claim.query_map([CLAIM_ROWS as i64], |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
        store.execute_batch("BEGIN IMMEDIATE")?;
        for id in &ids {
            delete.execute([id])?;
        }
        store.execute_batch("COMMIT")?;
        done += ids.len().max(1);
    }
    Ok(Sample::rate(jobs, start.elapsed()))
}

/// As many steps in one transaction as are in flight.
fn steps(store: &Connection, steps: usize, in_flight: usize) -> Result<Sample, Error> {
    let mut insert = store.prepare(INSERT_STEP)?;
    let start = Instant::now();
    for first in (0..steps).step_by(in_flight.max(1)) {
        store.execute_batch("BEGIN IMMEDIATE")?;
        for n in first..(first + in_flight).min(steps) {
            insert.execute((n as i64 / 10, n as i64 % 10))?;
        }
        store.execute_batch("COMMIT")?;
    }
    Ok(Sample::rate(steps, start.elapsed()))
}

/// A job is stored, and claimed.
fn wake(store: &Connection, times: usize) -> Result<Sample, Error> {
    let (mut insert, mut claim) = (store.prepare(INSERT_JOB)?, store.prepare(CLAIM)?);
    let mut spans = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        insert.execute([])?;
        claim.query_map([1], |row| row.get::<_, i64>(0))?.count();
        spans.push(start.elapsed());
    }
    Ok(Sample::latency(spans))
}

/// Steps of one run, each on the disk before the next: the time of each.
fn alone(store: &Connection, steps: usize) -> Result<Sample, Error> {
    let mut insert = store.prepare(INSERT_STEP)?;
    let start = Instant::now();
    for n in 0..steps {
        insert.execute((0, n as i64))?;
    }
    let each = start.elapsed() / u32::try_from(steps).unwrap_or(u32::MAX);
    Ok(Sample::latency([each]))
}

/// Reads the records of one run.
fn read(store: &Connection, steps: usize) -> Result<Sample, Error> {
    self::steps(store, steps, steps)?;
    let mut select = store.prepare("SELECT seq, name, output FROM step ORDER BY job, seq")?;
    let start = Instant::now();
    let rows = select.query_map([], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
        ))
    })?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    drop(rows);
    Ok(Sample::latency([start.elapsed()]))
}
