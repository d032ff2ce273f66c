//! A step that leaves its field at once.

use jobs_runtime::prelude::*;

#[task(schedule = "*/90 * * * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
