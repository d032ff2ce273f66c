//! A future that is no step in a `join!`.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let (greeted, other) = tokio::join!(step!("greet", work()), work());
    greeted?;
    other?;
    Ok(())
}

fn main() {}
