//! A job where a task is asked for.

use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;

#[job(idempotency = "plain:{input}")]
async fn plain(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {
    let _ = Bench::new().task::<plain>();
}
