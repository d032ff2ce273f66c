//! A duration in a unit that does not exist.

use jobs_runtime::{Result, job};

#[job(idempotency = none, timeout = "10q")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
