//! Several mistakes in one definition, each reported once.

use jobs_runtime::prelude::*;

#[task(schedule = "61 * * * *", tz = "Pariss", missed = never, idempotency = none, atempts = 3)]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
