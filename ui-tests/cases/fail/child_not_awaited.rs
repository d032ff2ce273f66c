//! A child whose step is not awaited is never enqueued.
#![deny(unused_must_use)]

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: u64) -> Result<()> {
    Ok(())
}

#[job(idempotency = none)]
async fn order(input: u64) -> Result<()> {
    step!("ship", job = ship(input));
    Ok(())
}

fn main() {}
