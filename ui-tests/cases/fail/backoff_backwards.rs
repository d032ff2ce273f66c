//! A back-off that ends before it starts.

use jobs_runtime::{Result, job};

#[job(idempotency = none, backoff = "1h..1s")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
