//! A constant name in a closure.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let greet = || step!("greet", work());
    greet().await?;
    Ok(())
}

fn main() {}
