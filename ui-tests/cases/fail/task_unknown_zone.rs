//! A zone, misspelled.

use jobs_runtime::prelude::*;

#[task(schedule = "0 3 * * *", tz = "Europe/Pariss")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
