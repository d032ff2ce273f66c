//! A range that runs backwards.

use jobs_runtime::prelude::*;

#[task(schedule = "0 22-4 * * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
