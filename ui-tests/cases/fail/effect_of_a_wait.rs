//! An effect on a step that has no body.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("nap", effect = at_most_once, sleep = "1h").await;
    Ok(())
}

fn main() {}
