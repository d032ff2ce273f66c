//! A step in a function inside the job.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    async fn helper() -> Result<u64> {
        step!("greet", work()).await
    }
    step!("help", helper()).await?;
    Ok(())
}

fn main() {}
