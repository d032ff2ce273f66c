//! A field is missing.

use jobs_runtime::prelude::*;

#[task(schedule = "0 3 * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
