//! Methods that write to what is outside of the step.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let mut list = Vec::new();
    let mut sum = 0;
    step!("push", {
        list.push(work().await?);
        sum += 1;
        Ok(())
    })
    .await?;
    println!("{list:?} {sum}");
    Ok(())
}

fn main() {}
