//! A failure in the form in which it is stored: readable by any later version.

use ::core::fmt;
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// What is kept of an error: enough to tell a person, and to branch on its code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredError {
    /// A stable code such as `X_JOB_TIMEOUT`, where the error had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The error's own words.
    pub message: String,
    /// The words of its causes, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// Whether it was marked as one that no further attempt can mend.
    #[serde(default, skip_serializing_if = "::core::ops::Not::not")]
    pub fatal: bool,
    /// Where a panic came from, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backtrace: Option<String>,
}

impl StoredError {
    /// An error with a code and a message.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        StoredError {
            code: Some(code.into()),
            message: message.into(),
            ..Self::default()
        }
    }
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for cause in &self.chain {
            write!(f, ": {cause}")?;
        }
        Ok(())
    }
}
