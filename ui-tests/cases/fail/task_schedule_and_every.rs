//! Two answers to when.

use jobs_runtime::prelude::*;

#[task(schedule = "@hourly", every = "1h")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
