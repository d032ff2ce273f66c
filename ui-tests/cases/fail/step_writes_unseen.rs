//! A write that the words of the step do not show: the compiler refuses it.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

async fn fill(list: &mut Vec<u64>) -> Result<()> {
    list.push(work().await?);
    Ok(())
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let mut list = Vec::new();
    let lent = &mut list;
    step!("fill", fill(lent)).await?;
    Ok(())
}

fn main() {}
