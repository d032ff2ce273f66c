//! The body of a helper is checked as that of a job.

use jobs_runtime::{Result, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[steps]
async fn bill(orders: &[u64]) -> Result<u64> {
    work().await?;
    for _order in orders {
        step!("charge", work()).await?;
    }
    step!("mail", work()).await?;
    Ok(step!("mail", work()).await?)
}

fn main() {}
