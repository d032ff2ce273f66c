//! A schedule on what is no task.

use jobs_runtime::prelude::*;

#[job(idempotency = none, schedule = "@daily", tz = "Europe/Paris")]
async fn nightly(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {}
