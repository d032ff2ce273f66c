//! Steps whose result borrows.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    let text = String::from("tea");
    step!("literal", { Ok("done") }).await?;
    step!("part", async { Ok::<_, jobs_runtime::Failure>(&text[..2]) }).await?;
    step!("method", { work().await?; Ok(text.as_str()) }).await?;
    Ok(())
}

fn main() {}
