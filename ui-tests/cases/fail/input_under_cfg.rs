//! An input that is there under a condition.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(#[cfg(all())] _input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
