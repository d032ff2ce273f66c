//! What the worker gives, in the place of the input.

use jobs_runtime::{JobContext, Result, State, job};

struct Mailer;

#[job(idempotency = none)]
async fn welcome(_mailer: State<Mailer>, _input: u64) -> Result<()> {
    Ok(())
}

#[job(idempotency = none)]
async fn goodbye(_job: JobContext) -> Result<()> {
    Ok(())
}

fn main() {}
