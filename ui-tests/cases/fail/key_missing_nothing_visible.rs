//! No idempotency key, and nothing to name in the hint.

use jobs_runtime::{Result, job};

#[job()]
async fn welcome(_input: Vec<u64>) -> Result<()> {
    Ok(())
}

fn main() {}
