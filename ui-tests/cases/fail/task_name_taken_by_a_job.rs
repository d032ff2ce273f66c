//! A task and a job of one name.

use jobs_runtime::prelude::*;

#[task(every = "1h")]
async fn sweep(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[job(idempotency = "sweep:{input}", name = "sweep")]
async fn sweep_one(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {}
