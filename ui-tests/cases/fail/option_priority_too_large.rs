//! A priority beyond the lowest.

use jobs_runtime::{Result, job};

#[job(idempotency = none, priority = 10)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
