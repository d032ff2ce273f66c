//! A former name that is the present one.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none, was = ["welcome"])]
async fn welcome(_input: u64) -> Result<()> {
    step!("charge", was = ["charge"], work()).await?;
    Ok(())
}

fn main() {}
