//! Something started beside the run.

use jobs_runtime::{Result, job};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    tokio::spawn(work());
    let count = tokio::task::spawn_blocking(|| 5).await;
    println!("{count:?}");
    Ok(())
}

fn main() {}
