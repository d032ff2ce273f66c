//! A former name that is another job's name.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

#[job(idempotency = none, was = ["welcome"])]
async fn greet(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
