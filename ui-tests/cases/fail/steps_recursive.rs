//! A helper that calls itself.

use jobs_runtime::{Result, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[steps]
async fn bill(left: u64) -> Result<u64> {
    step!("charge", work()).await?;
    if left > 0 {
        step!("next", steps = bill(left - 1)).await?;
    }
    Ok(left)
}

fn main() {}
