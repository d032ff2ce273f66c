//! A body that ends its lease by itself, between the steps and inside of one.
#![deny(warnings)]

use jobs_runtime::{JobContext, Result, job, step};
use std::time::Duration;

mod kitchen {
    use super::*;

    /// Gives a table back.
    #[job(idempotency = "leaving-clean-up:{input}")]
    pub async fn clear_table(input: u64) -> Result<()> {
        let _ = input;
        Ok(())
    }
}

/// Serves a table for ever.
#[job(
    idempotency = "leaving:{input}",
    on_conflict = replace,
    unique_for = "1h",
    expires = "1d",
    on_cancel = kitchen::clear_table
)]
pub async fn serve(input: u64, job: JobContext) -> Result<()> {
    if job.attempt() > 1 {
        job.snooze(Duration::from_secs(60)).await;
    }
    let plates = step!("cook", {
        if job.is_cancelled() {
            job.snooze(Duration::from_secs(1)).await;
        }
        job.progress(1, 2, "cooking");
        job.log("nearly done");
        Ok(job.uuid().as_u128() as u64)
    })
    .await?;
    match job.continue_as(serve(input + plates % 2).delay(Duration::from_secs(5))).await? {}
}

fn main() {
    let _ = serve(1).label("floor", "2").at(std::time::SystemTime::now());
}
