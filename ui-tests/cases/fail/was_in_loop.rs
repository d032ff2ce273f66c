//! A former name that is the same on every pass.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(input: u64) -> Result<()> {
    for n in 0..input {
        step!("charge:{n}", was = ["pay"], work()).await?;
    }
    Ok(())
}

fn main() {}
