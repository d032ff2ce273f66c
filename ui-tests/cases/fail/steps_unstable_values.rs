//! Values that differ on a replay, in a helper (warnings, denied here).
#![deny(deprecated)]

use jobs_runtime::{Result, step, steps};

#[steps]
async fn bill(_order: &u64) -> Result<u64> {
    let late = None.unwrap_or_else(std::time::Instant::now);
    Ok(step!("elapsed", { Ok(late.elapsed().as_secs()) }).await?)
}

fn main() {}
