//! An unsafe job.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async unsafe fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
