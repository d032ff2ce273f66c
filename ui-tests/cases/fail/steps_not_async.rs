//! A helper that is not async.

use jobs_runtime::{Result, steps};

#[steps]
fn bill(order: &u64) -> Result<u64> {
    Ok(*order)
}

fn main() {}
