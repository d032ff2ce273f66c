//! A wait with a key of another type.

use jobs_runtime::{Event, Result, job, step};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64)]
struct Paid;

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("paid", event = Paid, key = "five").await?;
    Ok(())
}

fn main() {}
