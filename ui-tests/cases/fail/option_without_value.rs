//! An option without its value.

use jobs_runtime::{Result, job};

#[job(idempotency = none, queue)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
