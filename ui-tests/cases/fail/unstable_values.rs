//! Values that differ on a replay (warnings, denied here).
#![deny(deprecated)]

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let now = std::time::SystemTime::now();
    let id = uuid::Uuid::new_v4();
    let home = std::env::var("HOME");
    step!("greet", { Ok(format!("{now:?} {id} {home:?}")) }).await?;
    Ok(())
}

fn main() {}
