//! A city instead of a zone.

use jobs_runtime::prelude::*;

#[task(schedule = "0 3 * * *", tz = "paris")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
