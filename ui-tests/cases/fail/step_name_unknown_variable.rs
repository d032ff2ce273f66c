//! A variable in a name that is not there.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet:{nobody}", work()).await?;
    Ok(())
}

fn main() {}
