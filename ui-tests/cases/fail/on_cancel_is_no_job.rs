//! A clean-up that is a plain function.

use jobs_runtime::{Result, job};

#[job(idempotency = "rent:{input}", on_cancel = give_back)]
async fn rent(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

async fn give_back(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {}
