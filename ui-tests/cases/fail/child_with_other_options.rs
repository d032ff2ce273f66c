//! Options that a child does not take, and its own in other places.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: u64) -> Result<()> {
    Ok(())
}

async fn pack() -> Result<u64> {
    Ok(7)
}

#[job(idempotency = none)]
async fn order(input: u64) -> Result<()> {
    step!("a", job = ship(input), timeout = "1m").await?;
    step!("b", job = ship(input), detached = true).await?;
    step!("c", detached = true, pack()).await?;
    step!("d", job = ship(input), pack()).await?;
    step!("e", job = ship(input), sleep = "1h").await?;
    Ok(())
}

fn main() {}
