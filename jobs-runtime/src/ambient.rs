//! A connection that is set once for the whole program: a convenience for code that nobody passes
//! one to. Everything here takes an explicit connection just as well, and tests should.

use crate::Error;
use crate::client::Jobs;
use std::sync::{PoisonError, RwLock};

static JOBS: RwLock<Option<Jobs>> = RwLock::new(None);

/// Sets the connection that [`jobs`] gives from now on; the last one counts.
///
/// ```standalone_crate
/// use jobs_runtime::prelude::*;
///
/// #[job(idempotency = "ambient-example:{input}")]
/// async fn ambient_example(input: u64) -> Result<u64> {
///     Ok(input)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// jobs_runtime::set_jobs(Jobs::connect("memory://").await?);
/// ambient_example(7).enqueue(&jobs_runtime::jobs()?).await?;
/// # Ok(()) }
/// ```
pub fn set_jobs(jobs: Jobs) {
    replace(Some(jobs));
}

/// The connection that was set.
///
/// # Errors
/// `X_JOBS_UNSET` if there is none.
pub fn jobs() -> Result<Jobs, Error> {
    let set = JOBS.read().unwrap_or_else(PoisonError::into_inner);
    set.clone().ok_or_else(Error::jobs_unset)
}

/// Forgets the connection that was set, without closing it.
pub fn reset_jobs() {
    replace(None);
}

fn replace(jobs: Option<Jobs>) {
    let mut set = JOBS.write().unwrap_or_else(PoisonError::into_inner);
    let before = std::mem::replace(&mut *set, jobs);
    drop(set);
    // Letting go of a store may take a moment: not under the lock.
    drop(before);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_connection_that_was_set_is_given_until_it_is_reset() {
        assert_eq!(jobs().err().map(|error| error.code()), Some("X_JOBS_UNSET"));
        set_jobs(Jobs::connect("memory://").await.unwrap());
        assert!(jobs().is_ok());
        reset_jobs();
        assert!(jobs().is_err());
    }
}
