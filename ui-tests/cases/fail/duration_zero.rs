//! A timeout of no length.

use jobs_runtime::{Result, job};

#[job(idempotency = none, timeout = "0s")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
