//! An error that is no error.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<(), String> {
    Ok(())
}

fn main() {}
