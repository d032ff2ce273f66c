//! A type that the job gives away and its module does not.

use jobs_runtime::{Result, job};

#[derive(serde::Serialize, serde::Deserialize)]
struct Signup;

#[job(idempotency = none)]
pub async fn welcome(_input: Signup) -> Result<()> {
    Ok(())
}

fn main() {}
