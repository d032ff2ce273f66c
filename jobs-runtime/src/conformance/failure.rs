//! Why a case ended early: what was not as it must be, and where the case says so.

use crate::Error;
use crate::contract::Conflicted;
use std::fmt;
use std::panic::Location;

/// What a case and its helpers give.
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Something that was not as it must be.
#[derive(Clone, Debug)]
pub struct Failure {
    place: &'static Location<'static>,
    words: String,
}

impl Failure {
    /// A failure at the line of the caller.
    #[must_use]
    #[track_caller]
    pub fn here(words: impl Into<String>) -> Self {
        Failure {
            place: Location::caller(),
            words: words.into(),
        }
    }
}

impl From<Error> for Failure {
    #[track_caller]
    fn from(error: Error) -> Self {
        Failure::here(format!("the driver answered with an error: {error:?}"))
    }
}

impl From<Conflicted> for Failure {
    #[track_caller]
    fn from(conflicted: Conflicted) -> Self {
        Failure::here(format!("the job was not stored: {conflicted:?}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.words)
    }
}

impl std::error::Error for Failure {}
