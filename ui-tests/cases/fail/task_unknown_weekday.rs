//! A day of the week, written out.

use jobs_runtime::prelude::*;

#[task(schedule = "0 9 * * monday")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
