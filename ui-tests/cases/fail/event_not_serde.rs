//! An event that cannot be stored.

use jobs_runtime::Event;

#[derive(Event)]
#[event(key = u64)]
struct Paid;

fn main() {}
