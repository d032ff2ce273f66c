//! The constructors of [`Error`] for lock files.

use crate::Error;
use crate::error::codes::X_LOCK_INVALID;

impl Error {
    /// A text is no lock file that this program reads.
    pub(super) fn lock_invalid(why: impl std::fmt::Display) -> Self {
        let why = why.to_string();
        Error::new(
            &X_LOCK_INVALID,
            format!("the lock file cannot be read: {}", why.trim_end()),
            "a merge may have left its marks in it: take it from the main branch as it is there, and write it anew with `jobs lock`",
        )
    }
}
