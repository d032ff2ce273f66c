//! An event, and a request, that are on their way and not awaited.
#![deny(unused_must_use)]

use jobs_runtime::{Event, Jobs, Result, job};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64)]
struct Paid;

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    Ok(())
}

fn pay(jobs: &Jobs) {
    jobs.publish(Paid, 5);
    welcome(5).enqueue(jobs);
}

fn main() {}
