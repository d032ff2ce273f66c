//! A tenant, on what is nobody's.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily", tenant = "acme")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
