//! A step that a macro outside the job writes.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

macro_rules! greet {
    () => {
        step!("greet", work())
    };
}

#[job(idempotency = none, allow = (raw_await))]
async fn welcome(_input: u64) -> Result<()> {
    greet!().await?;
    Ok(())
}

fn main() {}
