//! An await outside a step.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let account = step!("greet", work()).await?;
    if account > 1 {
        work().await?;
    }
    Ok(())
}

fn main() {}
