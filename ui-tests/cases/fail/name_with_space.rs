//! A durable name with a space.

use jobs_runtime::{Result, job};

#[job(idempotency = none, name = "wel come")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
