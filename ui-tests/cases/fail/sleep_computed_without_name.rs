//! A computed sleep without a name.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let span = std::time::Duration::from_secs(1);
    step!(sleep = span).await;
    Ok(())
}

fn main() {}
