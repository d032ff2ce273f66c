//! An input that holds references.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(input: Vec<&str>) -> Result<usize> {
    Ok(input.len())
}

fn main() {}
