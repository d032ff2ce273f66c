//! What a caller may ask of an [`Error`].

use super::Error;
use super::codes::{X_DRIVER_UNAVAILABLE, X_JOB_DUPLICATE, X_JOB_TIMEOUT, X_OUTCOME_UNKNOWN};

impl Error {
    /// The store could not be reached; nothing was written.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.is(&X_DRIVER_UNAVAILABLE)
    }

    /// The write may have happened; the same call may be made again.
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        self.is(&X_OUTCOME_UNKNOWN)
    }

    /// Whether the same call may work later, without a change to it.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.is_unavailable() || self.is_outcome_unknown()
    }

    /// A live job holds the key.
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        self.is(&X_JOB_DUPLICATE)
    }

    /// Something took too long.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.is(&X_JOB_TIMEOUT)
    }
}
