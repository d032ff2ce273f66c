//! A former name that is in the list twice.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none, was = ["hello", "hello"])]
async fn welcome(_input: u64) -> Result<()> {
    step!("charge", was = ["pay", "pay"], work()).await?;
    Ok(())
}

fn main() {}
