//! Two numbers with two units.

use jobs_runtime::{Result, job};

#[job(idempotency = none, timeout = "1h30m")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
