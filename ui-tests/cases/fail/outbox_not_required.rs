//! A value of `outbox` that there is not.

use jobs_runtime::{Result, job};

#[job(idempotency = "mail:{input}", outbox = true)]
async fn mail(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {}
