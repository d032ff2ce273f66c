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
pub fn append(line: &Value) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{FILE}: {error}");
    let mut ledger = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(FILE)
        .map_err(said)?;
    writeln!(ledger, "{line}").map_err(said)
}

/// The commit that the program was built from: as whoever built it said in `JOBS_BUILT_FROM`, or
/// else as far as git knows now; a mark says that something was changed since.
pub fn commit() -> String {
    if let Some(said) = option_env!("JOBS_BUILT_FROM") {
        return said.to_owned();
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
