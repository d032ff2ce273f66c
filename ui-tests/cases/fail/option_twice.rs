//! An option that is given twice.

use jobs_runtime::{Result, job};

#[job(idempotency = none, attempts = 5, attempts = 6)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
