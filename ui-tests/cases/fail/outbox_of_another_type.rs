//! Something that is no transaction, given to an outbox.

use jobs_runtime::{Result, job};

struct Basket;

#[job(idempotency = "mail:{input}", outbox = required)]
async fn mail(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

async fn order(mut basket: Basket) -> Result<()> {
    mail(5).enqueue_in(&mut basket).await?;
    Ok(())
}

fn main() {
    let _ = order;
}
