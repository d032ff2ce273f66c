//! Publishing what is no event.

use jobs_runtime::{Jobs, Result};

struct Paid;

async fn pay(jobs: &Jobs) -> Result<()> {
    jobs.publish(Paid, 5).await?;
    Ok(())
}

fn main() {}
