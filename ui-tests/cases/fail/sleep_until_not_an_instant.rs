//! A sleep until something that is no instant.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("nap", sleep_until = 5).await;
    Ok(())
}

fn main() {}
