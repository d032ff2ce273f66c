//! A helper defined inside the job that calls it.

use jobs_runtime::{Result, job, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(input: u64) -> Result<u64> {
    #[steps]
    async fn bill(order: &u64) -> Result<u64> {
        step!("charge", work()).await?;
        Ok(*order)
    }
    step!("billing", steps = bill(&input)).await
}

fn main() {}
