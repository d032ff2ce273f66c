//! An option of a wait on a plain step.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", key = 5, work()).await?;
    Ok(())
}

fn main() {}
