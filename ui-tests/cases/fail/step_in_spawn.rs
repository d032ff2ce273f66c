//! A step in a spawned task.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    tokio::spawn(async move { step!("greet", work()).await });
    Ok(())
}

fn main() {}
