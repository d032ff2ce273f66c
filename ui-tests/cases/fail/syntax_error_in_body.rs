//! A syntax error is rustc's to report.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let _account = step!("greet", work()).;
    Ok(())
}

fn main() {}
