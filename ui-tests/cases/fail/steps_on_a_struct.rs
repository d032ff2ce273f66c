//! A helper that is no function.

use jobs_runtime::steps;

#[steps]
struct Billing;

fn main() {}
