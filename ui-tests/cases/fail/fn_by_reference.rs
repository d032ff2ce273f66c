//! An input by reference.

use jobs_runtime::{Result, job};

#[job(idempotency = none)]
async fn welcome(input: &String) -> Result<()> {
    println!("{}", input.len());
    Ok(())
}

fn main() {}
