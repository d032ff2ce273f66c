//! A step that is never awaited (a warning, denied here).
#![deny(unused_must_use)]

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", work());
    Ok(())
}

fn main() {}
