//! A key, on what has one by itself.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily", idempotency = "nightly:{tick.at}")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
