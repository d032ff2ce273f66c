//! A job that returns nothing.

use jobs_runtime::job;

#[job(idempotency = none)]
async fn welcome(input: u64) {
    println!("{input}");
}

fn main() {}
