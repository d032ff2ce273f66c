//! A step whose error cannot be stored.

use jobs_runtime::{Result, job, step};

async fn account() -> Result<u64, String> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", account()).await?;
    Ok(())
}

fn main() {}
