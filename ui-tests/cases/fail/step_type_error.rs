//! A mistake inside a step is rustc's to report.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let text: String = step!("greet", work()).await?;
    println!("{text}");
    Ok(())
}

fn main() {}
