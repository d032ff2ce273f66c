//! A step whose future gives no `Result`.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", async { 5 }).await?;
    Ok(())
}

fn main() {}
