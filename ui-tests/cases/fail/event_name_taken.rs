//! Two events of one name.

use jobs_runtime::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "paid", key = u64)]
struct Paid;

mod other {
    use super::*;

    #[derive(Serialize, Deserialize, Event)]
    #[event(name = "paid", key = none)]
    struct Settled;
}

fn main() {}
