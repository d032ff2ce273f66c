//! A run that goes on with an input instead of a request.

use jobs_runtime::{JobContext, Result, job};

#[job(idempotency = "poll:{input}")]
async fn poll(input: u64, job: JobContext) -> Result<()> {
    match job.continue_as(input + 1).await? {}
}

fn main() {}
