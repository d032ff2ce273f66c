//! A step in a macro inside the job.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none, allow = (raw_await))]
async fn welcome(_input: u64) -> Result<()> {
    macro_rules! greet {
        () => {
            step!("greet", work())
        };
    }
    greet!().await?;
    Ok(())
}

fn main() {}
