//! The future of a step, awaited before the step has it; a closure in its place.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("awaited", work().await).await?;
    step!("closure", || async { work().await }).await?;
    Ok(())
}

fn main() {}
