//! A zone for what no zone changes.

use jobs_runtime::prelude::*;

#[task(every = "1h", tz = "Europe/Paris")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
