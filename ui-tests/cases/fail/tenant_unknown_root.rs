//! A tenant that reads what is not there.

use jobs_runtime::{Result, job};

#[job(idempotency = none, tenant = "{org_id}")]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn main() {}
