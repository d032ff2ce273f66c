//! A range that is far out of bounds.

use jobs_runtime::prelude::*;

#[task(schedule = "0-99999999 * * * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
