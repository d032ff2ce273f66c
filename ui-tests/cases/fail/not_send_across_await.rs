//! A value that cannot move between threads, held across a step.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let count = std::rc::Rc::new(1);
    step!("greet", work()).await?;
    println!("{count}");
    Ok(())
}

fn main() {}
