//! The ledger: a line for each long run, with what was run of which commit and what came of it.

use serde_json::Value;
use std::io::Write;
use std::process::Command;

/// Where the ledger is.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/torture/ledger.jsonl");

/// Adds a line.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn append(line: &Value) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{FILE}: {error}");
    let mut ledger = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(FILE)
        .map_err(said)?;
    writeln!(ledger, "{line}").map_err(said)
}

/// The commit that a program was built from, if whoever built it said so: one that runs for hours
/// outlives what git could tell of it later.
const BUILT_FROM: Option<&str> = option_env!("TORTURE_COMMIT");

/// The commit that the program was built from, or else the one that git knows of now; a mark says
/// that something was changed since.
pub(crate) fn commit() -> String {
    if let Some(commit) = BUILT_FROM {
        return commit.to_owned();
    }
    let described = Command::new("git")
        .args([
            "describe",
            "--always",
            "--dirty",
            "--abbrev=12",
            "--exclude=*",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    match described {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}
