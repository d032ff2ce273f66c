//! A job, and an event, inside the body of a function, and a job inside a job.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Event, Job, Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

fn main() {
    #[derive(serde::Serialize, serde::Deserialize, Event)]
    #[event(key = none)]
    struct Opened;

    #[job(idempotency = none)]
    async fn outer(_input: u64) -> Result<()> {
        #[job(idempotency = none)]
        async fn inner(_input: u64) -> Result<()> {
            step!("work", work()).await?;
            Ok(())
        }
        let _opened = step!("opened", event = Opened).await?;
        step!("work", { Ok(drop(inner(1))) }).await?;
        Ok(())
    }

    assert_eq!(outer::def().steps.len(), 2);
    assert_eq!(jobs_runtime::private::JOBS_V0.len(), 2);
}
