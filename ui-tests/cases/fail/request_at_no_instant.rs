//! A request for something that is no instant.

use jobs_runtime::{Result, job};

#[job(idempotency = "remind:{input}")]
async fn remind(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn main() {
    let _ = remind(7).at("tomorrow");
}
