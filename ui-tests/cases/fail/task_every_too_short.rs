//! An interval below a second.

use jobs_runtime::prelude::*;

#[task(every = "10ms")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
