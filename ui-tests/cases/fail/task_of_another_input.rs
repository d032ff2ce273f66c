//! Another input than a tick.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily")]
async fn nightly(day: u64) -> Result<()> {
    let _ = day;
    Ok(())
}

fn main() {}
