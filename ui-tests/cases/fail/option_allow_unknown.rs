//! An allowance that does not exist.

use jobs_runtime::{Result, job};

#[job(idempotency = none, allow = (raw_awaits))]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
