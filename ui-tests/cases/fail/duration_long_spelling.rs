//! A duration as one would say it.

use jobs_runtime::{Result, job};

#[job(idempotency = none, timeout = "10 minutes")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
