//! Attempts of a step that can run only once.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let text = String::new();
    step!("greet", attempts = 3, move async { Ok::<_, jobs_runtime::Failure>(text.len()) }).await?;
    Ok(())
}

fn main() {}
