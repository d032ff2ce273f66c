//! An input that cannot be stored.

use jobs_runtime::{Result, job};

struct Signup;

#[job(idempotency = none)]
async fn welcome(_input: Signup) -> Result<()> {
    Ok(())
}

fn main() {}
