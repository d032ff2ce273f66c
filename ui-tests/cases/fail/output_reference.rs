//! An output that is a reference.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<&'static str> {
    step!("greet", work()).await?;
    Ok("welcome")
}

fn main() {}
