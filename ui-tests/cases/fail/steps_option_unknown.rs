//! An option that helpers do not have.

use jobs_runtime::{Result, steps};

#[steps(attempts = 3)]
async fn bill(order: &u64) -> Result<u64> {
    Ok(*order)
}

fn main() {}
