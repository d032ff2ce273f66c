//! Steps that no job can have had.

use jobs_runtime::{Result, job};

#[job(idempotency = none, removed = ["", "a", "a", "b:{}"])]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
