//! A field for the year.

use jobs_runtime::prelude::*;

#[task(schedule = "0 0 3 1 1 * 2027")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
