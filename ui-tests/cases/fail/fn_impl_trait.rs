//! An input of a type without a name.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(_input: impl Send) -> Result<()> {
    Ok(())
}

fn main() {}
