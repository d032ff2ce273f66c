//! What a long run of the harness leaves in the ledger.

use super::batch::Sum;
use jobs_runtime::torture::ledger::commit;
use serde_json::{Value, json};

/// What was run.
pub(crate) struct Run {
    pub(crate) mode: String,
    pub(crate) seeds: String,
    /// How many crash points the program has.
    pub(crate) points: usize,
    pub(crate) speed: u32,
    pub(crate) disk: bool,
    /// The store is a Postgres server.
    pub(crate) server: bool,
    pub(crate) bug: Option<String>,
}

/// The sum of a run as one value.
pub(crate) fn line(run: &Run, sum: &Sum) -> Value {
    json!({
        "harness": "crash",
        "commit": commit(),
        "driver": if run.server { "postgres" } else { "sqlite" },
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
        "disturbed": sum.disturbed,
        "points": {
            "all": run.points,
            "passed": sum.passed.len(),
            "struck": sum.struck.len(),
        },
        "seen": sum.seen,
        "seconds": sum.took.as_secs(),
    })
}
