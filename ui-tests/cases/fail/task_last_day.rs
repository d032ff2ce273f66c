//! A sign of other schedulers.

use jobs_runtime::prelude::*;

#[task(schedule = "0 0 L * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
