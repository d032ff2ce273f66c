//! Where something was written. It is not part of the lock file: a line that moves is no change.

use std::fmt;

/// A file and a line of the program that is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as rustc names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl Place {
    pub(super) fn new(file: &str, line: u32) -> Self {
        Place {
            file: file.to_owned(),
            line,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
