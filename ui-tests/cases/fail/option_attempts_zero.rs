//! A job that is never tried.

use jobs_runtime::{Result, job};

#[job(idempotency = none, attempts = 0)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
