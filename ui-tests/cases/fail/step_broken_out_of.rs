//! A `break` out of a step, which is a function of its own.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    for n in 0..3 {
        step!("pass:{n}", {
            if work().await? > 5 {
                break;
            }
            Ok(())
        })
        .await?;
    }
    Ok(())
}

fn main() {}
