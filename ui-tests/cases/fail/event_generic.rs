//! A generic event.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64)]
struct Paid<T>(T);

fn main() {}
