//! A `select!` that picks at random.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    tokio::select! {
        greeted = step!("greet", work()) => { greeted?; }
        _ = step!("late", sleep = "1h") => {}
    }
    Ok(())
}

fn main() {}
