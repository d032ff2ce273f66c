//! A step outside a job.

use jobs_runtime::{Result, step};

async fn work() -> Result<u64> {
    Ok(1)
}

async fn helper() -> Result<u64> {
    step!("greet", work()).await
}

fn main() {}
