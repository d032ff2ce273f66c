//! A nickname, misspelled.

use jobs_runtime::prelude::*;

#[task(schedule = "@dayly")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
