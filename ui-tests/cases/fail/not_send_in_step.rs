//! A value that cannot move between threads, held inside a step.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", {
        let count = std::rc::Rc::new(1);
        let sum = work().await? + *count;
        Ok(sum)
    })
    .await?;
    Ok(())
}

fn main() {}
