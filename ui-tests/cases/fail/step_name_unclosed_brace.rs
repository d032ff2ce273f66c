//! A brace in a name that is never closed.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet:{_input", work()).await?;
    Ok(())
}

fn main() {}
