//! A child that is no request for a job: a value, a function that was not called, and a job that
//! is enqueued by hand.

use jobs_runtime::{Jobs, Result, State, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: u64) -> Result<()> {
    Ok(())
}

#[job(idempotency = none)]
async fn order(input: u64, jobs: State<Jobs>) -> Result<()> {
    step!("value", job = input + 1).await?;
    step!("function", job = ship).await?;
    step!("enqueued", job = ship(input).enqueue(&jobs), detached).await?;
    Ok(())
}

fn main() {}
