//! No comma between two options.

use jobs_runtime::{Result, job};

#[job(idempotency = none attempts = 5)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
