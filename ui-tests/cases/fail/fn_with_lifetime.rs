//! A reference with a name for its lifetime is still one mistake.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome<'a>(_input: &'a str) -> Result<()> {
    Ok(())
}

fn main() {}
