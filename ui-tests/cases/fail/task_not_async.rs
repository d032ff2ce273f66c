//! Not async.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily")]
fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
