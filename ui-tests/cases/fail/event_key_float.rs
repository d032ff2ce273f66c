//! An event whose key is a float.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(key = f64)]
struct Paid;

fn main() {}
