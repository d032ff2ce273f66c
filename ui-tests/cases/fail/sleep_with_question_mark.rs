//! A sleep has no error.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("nap", sleep = "3d").await?;
    Ok(())
}

fn main() {}
