//! A number that its field does not have.

use jobs_runtime::prelude::*;

#[task(schedule = "0 24 * * *")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
