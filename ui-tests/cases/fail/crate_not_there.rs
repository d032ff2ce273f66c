//! A path to the runtime that leads nowhere.

use jobs_runtime::{Result, job};

#[job(idempotency = none, crate = nope)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
