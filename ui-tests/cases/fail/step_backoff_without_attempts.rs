//! A back-off of a step that is tried once.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", backoff = "1s", work()).await?;
    Ok(())
}

fn main() {}
