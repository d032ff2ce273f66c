//! A job that is not async.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
