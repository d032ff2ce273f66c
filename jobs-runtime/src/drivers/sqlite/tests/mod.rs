//! Tests of what only this driver does: its file, its threads, its statements. What it shares with
//! all drivers is in the conformance suite.

mod doctor;
mod faults;
mod long_runs;
mod open;
mod processes;
mod statements;

pub(super) use long_runs::ran;

use super::{Sqlite, SqliteOptions};
use crate::clock::{Entropy, SystemEntropy};
use crate::contract::{Claim, Driver, Enqueued};
use crate::core::{
    JobId, JobSpec, Millis, NewJob, OnConflict, Payload, Priority, RunId, Timestamp, Visible,
};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The time that requests carry.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// A folder that goes away with the test, and the path of a store in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    (folder, path)
}

async fn open(path: &Path) -> Sqlite {
    Sqlite::open(path, SqliteOptions::default()).await.unwrap()
}

/// A connection as an operator would open it.
fn raw(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection
        .busy_timeout(std::time::Duration::from_secs(5))
        .unwrap();
    connection
}

fn job(name: &str) -> NewJob {
    NewJob {
        spec: JobSpec {
            id: JobId::new(NOW, SystemEntropy.bits()),
            run_id: RunId::new(NOW, SystemEntropy.bits()),
            name: name.into(),
            scope: name.into(),
            queue: "default".into(),
            key: None,
            input: Payload::json(*b"{}"),
            priority: Priority::DEFAULT,
            tenant: None,
            visibility_timeout: None,
            expires_at: None,
            limit_key: None,
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: None,
            labels: Default::default(),
            version: 0,
            fork_of: None,
            continued_from: None,
            chain: None,
            on_cancel: None,
        },
        visible: Visible::Now,
        attempts_max: 3,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    }
}

async fn enqueue(store: &Sqlite, job: &NewJob) -> Enqueued {
    let jobs = std::slice::from_ref(job);
    let answers = store.enqueue(jobs, Some(NOW)).await.unwrap();
    answers.into_iter().next().unwrap().unwrap()
}

fn claim(limit: usize) -> Claim {
    Claim {
        queues: Vec::new(),
        limit,
        visibility_timeout: Millis::secs(30),
        worker: "w".into(),
        nonce: u64::try_from(SystemEntropy.bits() >> 64).unwrap(),
        now: Some(NOW),
    }
}
