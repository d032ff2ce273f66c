//! A step that uses up a value of the job without `move`.

use jobs_runtime::{Result, job, step};

async fn count(list: Vec<u64>) -> Result<usize> {
    Ok(list.len())
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let list = vec![1];
    step!("greet", count(list)).await?;
    Ok(())
}

fn main() {}
