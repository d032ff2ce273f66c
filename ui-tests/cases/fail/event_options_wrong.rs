//! Each option of an event, wrong.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64, key = u32, ttl = "7", name = "has paid", was = "payed")]
struct Paid;

#[derive(Serialize, Deserialize, Event)]
#[event]
struct Opened;

fn main() {}
