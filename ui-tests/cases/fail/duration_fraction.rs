//! A part of an hour.

use jobs_runtime::{Result, job};

#[job(idempotency = none, timeout = "1.5h")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
