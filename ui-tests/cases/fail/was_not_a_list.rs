//! Former names that are no list.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("charge", was = "pay", work()).await?;
    Ok(())
}

fn main() {}
