//! The doctor: says what is wrong with a store, and what to do about each thing. It changes
//! nothing.
//!
//! A store that is refused can be looked at too: [`examine`] takes its URL. What there is to find
//! differs from store to store, so the looking is the driver's.
//!
//! ```
//! # async fn look() -> Result<(), jobs_runtime::Error> {
//! let report = jobs_runtime::doctor::examine("sqlite://jobs.db").await?;
//! println!("{report}");
//! for finding in &report.findings {
//!     eprintln!("{}: {}", finding.what, finding.remedy);
//! }
//! # Ok(()) }
//! ```

pub use crate::contract::{Fact, Finding, Gravity, Report};

use crate::clock::Env;
use crate::{Error, Jobs};

/// Looks at the store that a URL names, whether or not it can be opened. A store that is not there
/// is not created, where the driver can tell.
///
/// # Errors
/// `X_URL_INVALID` for a URL that no driver of this build understands. What is wrong with the store
/// is in the report.
pub async fn examine(url: &str) -> Result<Report, Error> {
    crate::connect::examine(url, Env::system()).await
}

impl Jobs {
    /// Looks at the health of the store: its settings as they read back, and all that is wrong,
    /// each thing with its remedy. Reads the whole store, so it may take a while; others can use
    /// it meanwhile. See [`crate::doctor`].
    ///
    /// ```
    /// # async fn look(jobs: &jobs_runtime::Jobs) -> Result<(), jobs_runtime::Error> {
    /// let report = jobs.doctor().await?;
    /// assert!(report.is_healthy(), "{report}");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store cannot be reached at all.
    pub async fn doctor(&self) -> Result<Report, Error> {
        self.store().doctor().await
    }
}
