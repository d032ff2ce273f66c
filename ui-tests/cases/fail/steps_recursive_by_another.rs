//! Two helpers that call each other.

use jobs_runtime::{Result, step, steps};

#[steps]
async fn even(left: u64) -> Result<u64> {
    Ok(step!("odd", steps = odd(left)).await?)
}

#[steps]
async fn odd(left: u64) -> Result<u64> {
    Ok(step!("even", steps = even(left)).await?)
}

fn main() {}
