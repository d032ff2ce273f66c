//! Attempts that are none.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("zero", attempts = 0, work()).await?;
    step!("text", attempts = "3", work()).await?;
    step!("negative", attempts = -1, work()).await?;
    step!("timeout", timeout = 30, work()).await?;
    Ok(())
}

fn main() {}
