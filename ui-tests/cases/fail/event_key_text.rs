//! The type of a key in quotes.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = "u64")]
struct Paid;

fn main() {}
