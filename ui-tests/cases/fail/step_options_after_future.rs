//! Options after the future.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", work(), attempts = 3).await?;
    Ok(())
}

fn main() {}
