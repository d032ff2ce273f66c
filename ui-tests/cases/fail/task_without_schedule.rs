//! No schedule.

use jobs_runtime::prelude::*;

#[task(attempts = 3)]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
