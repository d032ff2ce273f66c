//! No tick.

use jobs_runtime::prelude::*;

#[task(schedule = "@daily")]
async fn nightly() -> Result<()> {
    Ok(())
}

fn main() {}
