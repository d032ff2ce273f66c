//! A date that no year has.

use jobs_runtime::prelude::*;

#[task(schedule = "0 0 30 2 *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
