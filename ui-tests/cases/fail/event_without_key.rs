//! An event that does not say what its key is.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
struct Paid;

fn main() {}
