//! A step whose result borrows, which only the compiler can see.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

async fn first(list: &[String]) -> Result<&String> {
    list.first().ok_or_else(|| jobs_runtime::Failure::msg("empty"))
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let list = vec![String::new()];
    step!("first", first(&list)).await?;
    Ok(())
}

fn main() {}
