//! A sleep of a length that is none.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let span = 5;
    step!("nap", sleep = span).await;
    Ok(())
}

fn main() {}
