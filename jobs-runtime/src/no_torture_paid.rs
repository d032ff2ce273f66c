//! In place of `torture_paid` where sqlx is not: no job with `tx` steps, and so nothing to record
//! and to check.

use crate::torture::history::Entry;
use crate::torture::recorder::Recorder;
use crate::torture::workload::Choices;
use crate::{Error, Jobs};
use std::path::Path;

/// Whether this program has the job.
pub const IS_THERE: bool = false;

/// Nobody commits past the driver.
pub fn record_with(_recorder: Recorder) {}

/// Enqueues nothing.
///
/// # Errors
/// None.
#[allow(clippy::unused_async, reason = "the other one waits for the store")]
pub async fn enqueue(_choices: &mut Choices, _jobs: &Jobs) -> Result<(), Error> {
    Ok(())
}

/// Finds nothing.
///
/// # Errors
/// None.
pub fn check(_store: &Path, _history: &[Entry]) -> Result<Vec<String>, String> {
    Ok(Vec::new())
}
