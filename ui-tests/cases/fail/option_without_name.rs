//! A value alone.

use jobs_runtime::{Result, job};

#[job("welcome", idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
