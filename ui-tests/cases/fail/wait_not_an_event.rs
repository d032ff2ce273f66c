//! A wait for a type that is no event.

use jobs_runtime::{Result, job, step};

struct Paid;

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("paid", event = Paid, key = 5).await?;
    Ok(())
}

fn main() {}
