//! A job that belongs into a transaction, enqueued outside of one.

use jobs_runtime::{Jobs, Result, job};

#[job(idempotency = "mail:{input}", outbox = required)]
async fn mail(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

async fn order(jobs: &Jobs) -> Result<()> {
    mail(5).enqueue(jobs).await?;
    mail(6).without_outbox().enqueue(jobs).await?;
    Ok(())
}

fn main() {
    let _ = order;
}
