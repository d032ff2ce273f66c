//! A generic job.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome<T: Send>(_input: T) -> Result<()> {
    Ok(())
}

fn main() {}
