//! An event that takes the former name of another.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "paid", was = ["payed"], key = u64)]
struct Paid;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "payed", key = u64)]
struct Payed;

fn main() {}
