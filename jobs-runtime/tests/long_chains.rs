//! A chain of many runs, each of which takes an event and goes on as the next: every event comes
//! once and in order, and what is left behind is what retention keeps.
//!
//! `JOBS_CHAIN_RUNS` says how many runs; with `--no-capture` it says what that cost.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it measured"
)]

use jobs_runtime::contract::{JobFilter, PruneBounds};
use jobs_runtime::core::Timestamp;
use jobs_runtime::prelude::*;
use jobs_runtime::{Keep, Retention};
use std::path::Path;
use std::time::{Duration, Instant};

/// Runs of a chain unless somebody asks for more.
const RUNS: u64 = 200;
/// Ended runs that are kept.
const KEPT: u64 = 10;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "chain-turned", key = u64, ttl = "1h")]
struct ChainTurned {
    turn: u64,
}

#[derive(Serialize, Deserialize)]
struct Link {
    chain: u64,
    turn: u64,
    turns: u64,
}

#[job(name = "chained", idempotency = "chained:{input.chain}", attempts = 1)]
async fn chained(input: Link, job: JobContext) -> Result<u64> {
    let event = step!(
        "turn",
        event = ChainTurned,
        key = input.chain,
        timeout = "1h",
        required
    )
    .await?;
    assert_eq!(event.turn, input.turn, "each event once, and in order");
    if input.turn + 1 == input.turns {
        return Ok(event.turn);
    }
    let turn = input.turn + 1;
    match job.continue_as(chained(Link { turn, ..input })).await? {}
}

fn runs() -> u64 {
    let asked = std::env::var("JOBS_CHAIN_RUNS").ok();
    asked.map_or(RUNS, |runs| runs.parse().unwrap())
}

async fn publish(jobs: &Jobs, chain: u64, turns: u64) {
    for turn in 0..turns {
        jobs.publish(ChainTurned { turn }, chain).await.unwrap();
    }
}

/// Runs a chain to its end, and gives the rows that are left of it.
async fn play(jobs: &Jobs, chain: u64) -> u64 {
    let turns = runs();
    let retention = Retention::new()
        .done(Keep::newest(KEPT))
        .at_least(Duration::ZERO);
    let link = Link {
        chain,
        turn: 0,
        turns,
    };
    let first = chained(link).enqueue(jobs).await.unwrap();
    let begun = Instant::now();
    let worker = jobs.worker().retention(retention.clone());
    let watch = async {
        let (last, ()) = tokio::join!(jobs.wait(&first), publish(jobs, chain, turns));
        assert_eq!(last.unwrap(), turns - 1);
    };
    worker.run_until(watch).await.unwrap();
    let took = begun.elapsed();
    jobs.admin().sweep(&retention).await.unwrap();
    let filter = JobFilter {
        name: Some("chained".into()),
        ..JobFilter::default()
    };
    let page = jobs.admin().list(&filter, None, 1000).await.unwrap();
    let rate = turns as f64 / took.as_secs_f64();
    let left = page.jobs.len() as u64;
    eprintln!("{turns} runs in {took:.1?}, {rate:.0} a second, {left} rows left");
    left
}

/// Rows of each table that has some, for people.
fn tables(path: &Path) -> Vec<(String, i64)> {
    let file = rusqlite::Connection::open(path).unwrap();
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'jobs_%'";
    let mut names = file.prepare(names).unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    names
        .map(|name| {
            let name = name.unwrap();
            let count = format!("SELECT count(*) FROM {name}");
            let rows = file.query_row(&count, [], |row| row.get(0)).unwrap();
            (name, rows)
        })
        .filter(|(_, rows)| *rows > 0)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_chain_in_memory_leaves_what_retention_keeps() {
    let jobs = Jobs::connect("memory://").await.unwrap();
    assert_eq!(play(&jobs, 1).await, KEPT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_chain_in_a_file_leaves_what_retention_keeps() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    let url = format!("sqlite://{}", path.display());
    let jobs = Jobs::connect(&url).await.unwrap();
    assert_eq!(play(&jobs, 1).await, KEPT);
    let rows = tables(&path);
    let of = |table: &str| {
        let found = rows.iter().find(|(name, _)| name == table);
        found.map_or(0, |(_, rows)| *rows)
    };
    eprintln!("{} kB, {rows:?}", path.metadata().unwrap().len() / 1000);
    assert_eq!(of("jobs_job") + of("jobs_step") + of("jobs_inbox"), 0);
    assert_eq!(of("jobs_mark"), 1, "one kind of event");
    let late = PruneBounds {
        events_expired_before: Timestamp(i64::MAX),
        limit: usize::MAX,
        ..PruneBounds::default()
    };
    jobs.admin().prune(&late).await.unwrap();
    let marks = |(name, _): &(String, i64)| name == "jobs_mark";
    assert!(!tables(&path).iter().any(marks), "they go with the events");
}
