//! Two steps whose names can come out the same.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    for i in 0..2_u8 {
        step!("greet:{i}", work()).await?;
    }
    for j in 0..2_u8 {
        step!("greet:{j}", work()).await?;
    }
    Ok(())
}

fn main() {}
