//! A duration without a unit.

use jobs_runtime::{Result, job};

#[job(idempotency = none, timeout = "10")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
