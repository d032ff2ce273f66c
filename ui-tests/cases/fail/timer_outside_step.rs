//! A sleep of the async runtime.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    Ok(())
}

fn main() {}
