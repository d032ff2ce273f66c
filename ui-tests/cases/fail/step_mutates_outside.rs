//! A step that changes a value of the job.

use jobs_runtime::{Result, job, step};

async fn fill(list: &mut Vec<u64>) -> Result<()> {
    list.push(1);
    Ok(())
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let mut list = Vec::new();
    step!("greet", fill(&mut list)).await?;
    println!("{list:?}");
    Ok(())
}

fn main() {}
