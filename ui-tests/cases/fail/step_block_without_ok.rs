//! The block of a step that ends with a value, and one that ends with nothing.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("value", { work().await? }).await?;
    step!("nothing", { work().await?; }).await?;
    Ok(())
}

fn main() {}
