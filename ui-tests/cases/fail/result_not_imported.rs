//! The `Result` of the prelude takes two types.

use jobs_runtime::job;

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
