//! A policy that does not exist.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily", missed = lsat)]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
