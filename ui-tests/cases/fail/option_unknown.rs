//! Options that do not exist.

use jobs_runtime::{Result, job};

#[job(idempotancy = none, colour = "red", idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
