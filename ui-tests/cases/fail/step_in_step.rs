//! A step in a step.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("outer", async { step!("inner", work()).await }).await?;
    Ok(())
}

fn main() {}
