//! A constant name in a loop.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    for _ in 0..2 {
        step!("greet", work()).await?;
    }
    Ok(())
}

fn main() {}
