//! Options of a wait with values that they do not take.

use jobs_runtime::{Event, Result, job, step};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64)]
struct Paid;

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("a", event = Paid, key = 5, required = true).await?;
    step!("b", event = Paid, key = 5, since = start).await?;
    step!("c", event = Paid, key = 5, timeout = "14").await?;
    Ok(())
}

fn main() {}
