//! A job that returns no `Result`.

use jobs_runtime::job;

#[job(idempotency = none)]
async fn welcome(input: u64) -> u64 {
    input
}

fn main() {}
