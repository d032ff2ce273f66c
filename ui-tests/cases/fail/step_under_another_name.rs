//! A step under another name.

use jobs_runtime::{Result, job, step as once};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none, allow = (raw_await))]
async fn welcome(_input: u64) -> Result<()> {
    once!("greet", work()).await?;
    Ok(())
}

fn main() {}
