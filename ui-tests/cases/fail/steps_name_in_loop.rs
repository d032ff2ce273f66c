//! A helper called in a loop under one name.

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
async fn welcome(input: u64) -> Result<()> {
    for order in 0..input {
        step!("billing", steps = bill(&order)).await?;
    }
    Ok(())
}

fn main() {}
