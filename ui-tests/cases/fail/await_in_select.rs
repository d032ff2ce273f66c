//! A future that is no step in a `select!`.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    tokio::select! { biased;
        greeted = step!("greet", work()) => { greeted?; }
        _ = tokio::time::sleep(std::time::Duration::from_secs(1)) => {}
    }
    Ok(())
}

fn main() {}
