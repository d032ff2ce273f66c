//! One line in the ledger for a run by hand: what was tried, how often, and what broke.

use std::io::Write;
use std::process::Command;

/// Where the lines are, from the folder of the crate.
const LEDGER: &str = "torture/ledger.jsonl";

/// Adds a line if `JOBS_FAULTS_LEDGER` is set.
pub(crate) fn record(mode: &str, trials: u64, violations: usize) {
    if std::env::var_os("JOBS_FAULTS_LEDGER").is_none() {
        return;
    }
    let commit = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output();
    let commit = String::from_utf8(commit.unwrap().stdout).unwrap();
    let seed = crate::settings::setting("JOBS_FAULTS_SEED", 1_u64);
    let line = serde_json::json!({
        "commit": commit.trim(),
        "driver": "sqlite",
        "versions": { "sqlite": rusqlite::version() },
        "mode": mode,
        "seeds": [seed, seed],
        "trials": trials,
        "violations": violations,
    });
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(LEDGER);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path);
    writeln!(file.unwrap(), "{line}").unwrap();
}
