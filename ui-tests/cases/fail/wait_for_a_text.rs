//! The name of an event in place of its type.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("paid", event = "paid", key = 5).await?;
    Ok(())
}

fn main() {}
