//! A helper called with something around it.

use jobs_runtime::{Result, job, step, steps};

#[job(idempotency = none)]
async fn welcome(input: u64) -> Result<u64> {
    let shop = input;
    step!("billing", steps = shop.bill(&input)).await?;
    step!("again", steps = move bill(&input)).await
}

#[steps]
async fn bill(order: &u64) -> Result<u64> {
    Ok(*order)
}

fn main() {}
