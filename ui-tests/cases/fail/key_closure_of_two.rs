//! A closure over more than the input.

use jobs_runtime::{Result, job};

#[job(idempotency = |input, other| input)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
