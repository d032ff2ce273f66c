//! A type that is not there, said once.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(_input: Signp) -> Result<()> {
    Ok(())
}

fn main() {}
