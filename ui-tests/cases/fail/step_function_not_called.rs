//! The function in place of its future.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("work", work).await?;
    Ok(())
}

fn main() {}
