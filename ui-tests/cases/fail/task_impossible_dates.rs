//! Dates that none of the months has.

use jobs_runtime::prelude::*;

#[task(schedule = "0 0 31 4,6,9,11 *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
