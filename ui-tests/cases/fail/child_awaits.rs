//! A request for a child that waits for something.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: u64) -> Result<()> {
    Ok(())
}

async fn pack() -> Result<u64> {
    Ok(7)
}

#[job(idempotency = none)]
async fn order(_input: u64) -> Result<()> {
    step!("ship", job = ship(pack().await?)).await?;
    Ok(())
}

fn main() {}
