//! A step that never moves on.

use jobs_runtime::prelude::*;

#[task(schedule = "*/0 * * * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
