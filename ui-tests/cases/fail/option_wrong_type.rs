//! Values of the wrong type.

use jobs_runtime::{Result, job};

#[job(idempotency = none, attempts = "five", queue = 5, was = "old")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
