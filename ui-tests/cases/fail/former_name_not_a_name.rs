//! Former names that no job and no step can have had.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none, was = ["hel lo", ""])]
async fn welcome(_input: u64) -> Result<()> {
    step!("charge", was = ["", "a/b"], work()).await?;
    Ok(())
}

fn main() {}
