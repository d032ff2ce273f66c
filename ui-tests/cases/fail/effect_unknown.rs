//! An effect that does not exist.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("charge", effect = exactly_once, work()).await?;
    Ok(())
}

fn main() {}
