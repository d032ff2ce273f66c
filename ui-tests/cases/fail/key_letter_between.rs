//! A letter between two placeholders, which both can end with.

use jobs_runtime::{Result, job};

#[job(idempotency = "welcome:{input.0}x{input.1}")]
async fn welcome(input: (u64, String)) -> Result<()> {
    Ok(())
}

fn main() {}
