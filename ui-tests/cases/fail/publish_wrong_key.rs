//! Publishing under a key of another type.

use jobs_runtime::{Event, Jobs, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64)]
struct Paid;

async fn pay(jobs: &Jobs) -> Result<()> {
    jobs.publish(Paid, "five").await?;
    Ok(())
}

fn main() {}
