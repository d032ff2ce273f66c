//! An interval in the place of an expression.

use jobs_runtime::prelude::*;

#[task(schedule = "every 15m")]
async fn nightly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

fn main() {}
