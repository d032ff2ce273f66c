//! An option that an event does not have.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64, nmae = "paid")]
struct Paid;

fn main() {}
