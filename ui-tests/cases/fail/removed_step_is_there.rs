//! A removed step that is still in the body.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none, removed = ["greet"])]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", work()).await?;
    Ok(())
}

fn main() {}
