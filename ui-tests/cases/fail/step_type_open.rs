//! Steps whose results have a type that nothing settles.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn welcome(input: u64) -> Result<()> {
    step!("list", { Ok(Vec::new()) }).await?;
    let found = step!("find", std::future::ready(Ok(None))).await?;
    let _ = (found.is_none(), input);
    Ok(())
}

fn main() {}
