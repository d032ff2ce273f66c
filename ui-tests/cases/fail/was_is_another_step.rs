//! A former name that another step has now.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("pay", work()).await?;
    step!("charge", was = ["pay"], work()).await?;
    step!("mail", was = ["letter"], work()).await?;
    step!("letter", work()).await?;
    Ok(())
}

fn main() {}
