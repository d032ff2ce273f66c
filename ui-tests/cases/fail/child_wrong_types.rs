//! A child that is given another input than it takes, and one whose output is taken for another
//! type.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: u64) -> Result<String> {
    Ok("shipped".into())
}

#[job(idempotency = none)]
async fn order(_input: u64) -> Result<()> {
    let _told = step!("ship", job = ship("7")).await?;
    let _told: u64 = step!("ship-again", job = ship(7)).await?;
    let _told: String = step!("ship-detached", job = ship(7), detached).await?;
    Ok(())
}

fn main() {}
