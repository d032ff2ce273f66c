//! A helper that is generic.

use jobs_runtime::{Result, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[steps]
async fn bill<T: Into<u64>>(order: T) -> Result<u64> {
    step!("charge", work()).await?;
    Ok(order.into())
}

fn main() {}
