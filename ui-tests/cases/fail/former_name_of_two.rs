//! A former name that two jobs claim.

use jobs_runtime::{Result, job};

#[job(idempotency = none, was = ["hello"])]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

#[job(idempotency = none, was = ["hello"])]
async fn greet(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
