//! A helper called outside a job.

use jobs_runtime::{Result, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[steps]
async fn bill(order: &u64) -> Result<u64> {
    step!("charge", work()).await?;
    Ok(*order)
}


async fn by_hand() -> Result<u64> {
    bill(&5).await
}

fn main() {}
