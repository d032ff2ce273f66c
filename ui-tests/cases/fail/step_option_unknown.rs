//! An option that a step does not have.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", atempts = 3, work()).await?;
    Ok(())
}

fn main() {}
