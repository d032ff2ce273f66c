//! An event whose name is among its former ones.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "paid", was = ["payed", "paid", "payed"], key = u64)]
struct Paid;

fn main() {}
