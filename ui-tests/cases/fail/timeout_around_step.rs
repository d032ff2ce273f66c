//! A timeout around a step that starts anew on every replay.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let limit = std::time::Duration::from_secs(1);
    tokio::time::timeout(limit, step!("greet", work())).await??;
    Ok(())
}

fn main() {}
