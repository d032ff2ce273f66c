//! A name that is in the list of former names.

use jobs_runtime::{Result, job};

#[job(idempotency = none, name = "welcome", was = ["welcome"])]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
