//! A float in a name.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let amount = 1.5;
    step!("greet:{amount}", work()).await?;
    Ok(())
}

fn main() {}
