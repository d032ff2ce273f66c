//! Policies that contradict each other.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily", missed = all, overlap = skip)]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
