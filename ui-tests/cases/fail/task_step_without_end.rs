//! A step from a number on.

use jobs_runtime::prelude::*;

#[task(schedule = "5/10 * * * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
