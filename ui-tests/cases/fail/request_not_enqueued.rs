//! A request that is never enqueued (a warning, denied here).
#![deny(unused_must_use)]

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {
    welcome(5);
}
