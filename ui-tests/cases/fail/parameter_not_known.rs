//! A second parameter that the worker cannot give.

use jobs_runtime::{Result, job};

struct Mailer;

#[job(idempotency = none)]
async fn welcome(_input: u64, _mailer: Mailer) -> Result<()> {
    Ok(())
}

fn main() {}
