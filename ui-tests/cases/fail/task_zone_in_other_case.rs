//! A zone in small letters.

use jobs_runtime::prelude::*;

#[task(schedule = "0 3 * * *", tz = "europe/paris")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
