//! `#[job]` on a struct.

use jobs_runtime::job;

#[job(idempotency = none)]
struct Welcome;

fn main() {}
