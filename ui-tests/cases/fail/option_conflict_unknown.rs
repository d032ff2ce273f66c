//! A policy for taken keys that does not exist.

use jobs_runtime::{Result, job};

#[job(idempotency = "welcome:{input}", on_conflict = replaced)]
async fn welcome(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {}
