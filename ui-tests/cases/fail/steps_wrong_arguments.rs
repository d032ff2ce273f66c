//! A helper called with too many arguments, and with one of another type.

use jobs_runtime::{Result, job, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[steps]
async fn bill(order: &u64) -> Result<u64> {
    step!("charge", work()).await?;
    Ok(*order)
}


#[job(idempotency = none)]
async fn welcome(input: u64) -> Result<u64> {
    step!("billing", steps = bill(&input, 5)).await?;
    step!("again", steps = bill("order 5")).await
}

fn main() {}
