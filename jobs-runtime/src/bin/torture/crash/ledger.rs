//! The lines that long runs leave behind: what was run of which version, and what came of it.

use super::batch::Sum;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// What was run.
pub(crate) struct Run {
    pub(crate) mode: String,
    pub(crate) seeds: String,
    /// How many crash points the program has.
    pub(crate) points: usize,
    pub(crate) speed: u32,
    pub(crate) disk: bool,
    pub(crate) bug: Option<String>,
}

/// The sum of a run as one value.
pub(crate) fn line(run: &Run, sum: &Sum) -> Value {
    json!({
        "harness": "crash",
        "commit": commit(),
        "driver": "sqlite",
        "versions": {
            "jobs-runtime": env!("CARGO_PKG_VERSION"),
            "sqlite": rusqlite::version(),
        },
        "mode": run.mode,
        "seeds": run.seeds,
        "bug": run.bug,
        "disk": run.disk,
        "speed": run.speed,
        "trials": sum.trials,
        "violations": sum.broken.len(),
        "void": sum.void.len(),
        "kills": sum.kills,
        "stops": sum.stops,
        "points": {
            "all": run.points,
            "passed": sum.passed.len(),
            "struck": sum.struck.len(),
        },
        "seen": sum.seen,
        "seconds": sum.took.as_secs(),
    })
}

/// Appends a line to the ledger.
pub(crate) fn append(file: &Path, line: &Value) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut ledger = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .map_err(said)?;
    writeln!(ledger, "{line}").map_err(said)
}

/// The commit that the program was built from, as far as git knows; a mark says that something
/// was changed since.
fn commit() -> String {
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
