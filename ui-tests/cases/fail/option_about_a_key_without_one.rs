//! Options about a key, on a job that has none.

use jobs_runtime::{Result, job};

#[job(idempotency = none, on_conflict = replace, unique_for = "24h")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
