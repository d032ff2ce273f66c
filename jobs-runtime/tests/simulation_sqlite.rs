//! What the memory driver answered in a simulation, SQLite answers too: each call of some runs is made
//! again there, in the same order and at the same instants.
#![allow(clippy::unwrap_used)]

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::contract::Driver;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::torture::sim::{Options, Taped, tape};

/// Seeds that are replayed unless `JOBS_REPLAY_SEEDS` says how many.
const SEEDS: u64 = 4;

#[test]
fn sqlite_answers_each_call_of_a_simulation_as_the_memory_driver_did() {
    let said = std::env::var("JOBS_REPLAY_SEEDS").ok();
    let seeds = said.and_then(|said| said.parse().ok()).unwrap_or(SEEDS);
    for seed in 0..seeds {
        let calls = tape(seed, &Options { operations: 200 }).unwrap();
        assert!(calls.len() > 100, "{} calls", calls.len());
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().unwrap();
        runtime.block_on(replay(seed, &calls));
    }
}

async fn replay(seed: u64, calls: &[Taped]) {
    let folder = tempfile::tempdir().unwrap();
    let env = Env::new(VirtualClock::default(), SeededEntropy::new(seed));
    let options = SqliteOptions::default().env(env);
    let sqlite = Sqlite::open(&folder.path().join("jobs.db"), options)
        .await
        .unwrap();
    for (at, call) in calls.iter().enumerate() {
        let replayed = call.replay(&sqlite).await;
        assert_eq!(replayed, Ok(()), "seed {seed}, call {at}");
    }
    sqlite.close().await;
}
