//! Values after a colon, and in parentheses.

use jobs_runtime::{Result, job};

#[job(idempotency: none, attempts(5))]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
