//! A request for a child that takes what it captures, without `move`.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: String) -> Result<()> {
    Ok(())
}

#[job(idempotency = none)]
async fn order(input: String) -> Result<()> {
    step!("ship", job = ship(input)).await?;
    Ok(())
}

fn main() {}
