//! A step that may not run twice, tried again.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("charge", effect = at_most_once, attempts = 3, backoff = "1s", work()).await?;
    Ok(())
}

fn main() {}
