//! A step that writes to a variable of the job.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let mut count = 0;
    step!("greet", {
        count += work().await?;
        Ok(())
    })
    .await?;
    println!("{count}");
    Ok(())
}

fn main() {}
