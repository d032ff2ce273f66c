//! One job of a tenant, enqueued behind a large backlog of another's, is in one of the next two
//! claims.
//!
//! `JOBS_BACKLOG` says how many jobs there are before it; with `--no-capture` it says what the
//! claims cost.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it measured"
)]

use jobs_runtime::clock::Env;
use jobs_runtime::contract::{Claim, Driver};
use jobs_runtime::core::{
    JobId, JobSpec, Millis, NewJob, OnConflict, Payload, Priority, RunId, Timestamp, Visible,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Jobs before it unless somebody asks for more.
const BACKLOG: u64 = 3_000;
/// Jobs that one write enqueues.
const BATCH: u64 = 1_000;
/// Jobs that one claim asks for: the free slots of a worker.
const SLOTS: usize = 10;
/// Claims that were made before it is enqueued.
const EARLIER: u64 = 20;
const NOW: Timestamp = Timestamp(1_767_225_600_000);

fn backlog() -> u64 {
    let asked = std::env::var("JOBS_BACKLOG").ok();
    asked.map_or(BACKLOG, |jobs| jobs.parse().unwrap())
}

fn job(number: u64, tenant: &str) -> NewJob {
    let bits = u128::from(number + 1) << 32;
    NewJob {
        spec: JobSpec {
            id: JobId::new(NOW, bits),
            run_id: RunId::new(NOW, bits),
            name: "served".into(),
            scope: "served".into(),
            queue: "default".into(),
            key: None,
            input: Payload::json(*b"{}"),
            priority: Priority::DEFAULT,
            tenant: Some(tenant.into()),
            visibility_timeout: None,
            expires_at: None,
            limit_key: None,
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: None,
            labels: BTreeMap::new(),
            version: 0,
            fork_of: None,
            continued_from: None,
            chain: None,
            on_cancel: None,
        },
        visible: Visible::Now,
        attempts_max: 1,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    }
}

async fn play(driver: &dyn Driver) {
    let jobs = backlog();
    for first in (0..jobs).step_by(BATCH as usize) {
        let batch: Vec<NewJob> = (first..jobs.min(first + BATCH))
            .map(|number| job(number, "large"))
            .collect();
        driver.enqueue(&batch, Some(NOW)).await.unwrap();
    }
    let claim = |nonce| Claim {
        queues: Vec::new(),
        limit: SLOTS,
        visibility_timeout: Millis::secs(3600),
        worker: "worker".into(),
        nonce,
        now: Some(NOW),
    };
    let mut longest = Duration::ZERO;
    for nonce in 1..=EARLIER {
        let begun = Instant::now();
        let claimed = driver.claim(&claim(nonce)).await.unwrap().jobs.len();
        longest = longest.max(begun.elapsed());
        assert_eq!(claimed, SLOTS);
    }
    let single = job(jobs, "small");
    driver
        .enqueue(std::slice::from_ref(&single), Some(NOW))
        .await
        .unwrap();
    let begun = Instant::now();
    let mut polls = 0;
    loop {
        polls += 1;
        let claims = driver.claim(&claim(EARLIER + polls)).await.unwrap();
        if claims
            .jobs
            .iter()
            .any(|held| held.job.spec.id == single.spec.id)
        {
            break;
        }
        assert!(polls < 2, "it did not start within two polls");
    }
    let took = begun.elapsed();
    eprintln!("behind {jobs}: in poll {polls}, after {took:.1?}; a claim before {longest:.1?}");
}

#[tokio::test]
async fn in_memory_a_single_job_behind_anothers_backlog_starts_within_two_polls() {
    play(&jobs_runtime::drivers::memory::Memory::new(Env::system())).await;
}

#[tokio::test]
async fn in_a_file_a_single_job_behind_anothers_backlog_starts_within_two_polls() {
    use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let driver = Sqlite::open(&path, SqliteOptions::default()).await.unwrap();
    play(&driver).await;
    driver.close().await;
}
