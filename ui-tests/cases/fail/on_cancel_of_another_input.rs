//! A clean-up that works on another input.

use jobs_runtime::{Result, job};

#[job(idempotency = "rent:{input}", on_cancel = give_back)]
async fn rent(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

#[job(idempotency = "give-back:{input}")]
async fn give_back(input: String) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {}
