//! A runtime that is not there.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = u64, crate = nope)]
struct Paid;

fn main() {}
