//! A job without an input.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome() -> Result<()> {
    Ok(())
}

fn main() {}
