//! A policy in quotes.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily", overlap = "skip")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
