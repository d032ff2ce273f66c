//! A function called as a helper that is none.

use jobs_runtime::{Result, job, step};

async fn bill(order: &u64) -> Result<u64> {
    Ok(*order)
}

#[job(idempotency = none)]
async fn welcome(input: u64) -> Result<u64> {
    step!("billing", steps = bill(&input)).await
}

fn main() {}
