//! Every mistake is reported in one pass.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(retrys = 3, timeout = "10q", idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    work().await?;
    step!("greet", work()).await?;
    step!("greet", work()).await?;
    Ok(())
}

fn main() {}
