//! A step without a future.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", 5).await?;
    Ok(())
}

fn main() {}
