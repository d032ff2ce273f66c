//! What is a judgement can be lifted, and then stands in the definition.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::{Job, Result, job, step, steps};
use std::time::{Duration, Instant, SystemTime};

async fn work() -> Result<u64> {
    Ok(1)
}

/// Waits, starts and reads the clock as it likes.
#[job(idempotency = none, allow = (raw_await, unstable_values))]
pub async fn allowed(input: u64) -> Result<String> {
    let started = Instant::now();
    tokio::time::sleep(Duration::from_millis(input)).await;
    let beside = tokio::spawn(work());
    tokio::time::timeout(Duration::from_secs(1), step!("in time", work())).await??;
    let (one, two) = tokio::join!(step!("joined", work()), work());
    let late = None.unwrap_or_else(SystemTime::now);
    step!("helped", steps = allowed_too()).await?;
    let sum = one? + two? + beside.await??;
    Ok(format!("{sum} {late:?} {:?} {}", started.elapsed(), uuid::Uuid::new_v4()))
}

/// A helper that does.
#[steps(allow = (unstable_values, raw_await))]
pub async fn allowed_too() -> Result<bool> {
    work().await?;
    Ok(std::env::var_os("HOME").is_some())
}

fn main() {
    let options = allowed::def().options;
    assert!(options.raw_await && options.unstable_values);
    let helper = allowed::def().steps[2].helper.map(|helper| helper());
    assert!(helper.is_some_and(|helper| helper.raw_await && helper.unstable_values));
}
