//! A failure in the form in which it is stored: readable by any later version.

use ::core::fmt;
use alloc::{format, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// The longest message of a stored error, in bytes; what is longer is cut, and says so.
pub const ERROR_MESSAGE_LIMIT_BYTES: usize = 16 * 1024;

/// The longest words of one cause of a stored error, in bytes; what is longer is cut, and says so.
pub const ERROR_CAUSE_LIMIT_BYTES: usize = 2 * 1024;

/// Causes that are kept of a stored error, the nearest ones.
pub const ERROR_LIMIT_CAUSES: usize = 32;

/// The longest backtrace of a panic, in bytes; what is longer is cut, and says so.
pub const BACKTRACE_LIMIT_BYTES: usize = 8 * 1024;

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
            message: limited(message.into(), ERROR_MESSAGE_LIMIT_BYTES),
            ..Self::default()
        }
    }

    /// The same error, no larger than an error may be: an error text can hold a whole page or file,
    /// and is read by everybody who looks at a list.
    #[must_use]
    pub fn limited(self) -> Self {
        let cause = |words| limited(words, ERROR_CAUSE_LIMIT_BYTES);
        let chain = self.chain.into_iter().take(ERROR_LIMIT_CAUSES);
        StoredError {
            message: limited(self.message, ERROR_MESSAGE_LIMIT_BYTES),
            chain: chain.map(cause).collect(),
            backtrace: self
                .backtrace
                .map(|text| limited(text, BACKTRACE_LIMIT_BYTES)),
            ..self
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

/// The beginning of a text that is too long, and how long it was.
fn limited(mut text: String, limit: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    let more = format!("… [cut: {} bytes in all]", text.len());
    text.truncate(text.floor_char_boundary(limit.saturating_sub(more.len())));
    text + &more
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn an_error_within_its_limits_stays_as_it_is() {
        let error = StoredError {
            chain: vec!["because".into()],
            backtrace: Some("at".into()),
            ..StoredError::new("X_JOB_PANIC", "it went wrong")
        };
        assert_eq!(error.clone().limited(), error);
    }

    #[test]
    fn b88_what_is_too_long_is_cut_between_two_characters_and_says_how_long_it_was() {
        let long = "é".repeat(1024 * 1024);
        let error = StoredError {
            message: long.clone(),
            chain: vec![long.clone(); 100],
            backtrace: Some(long),
            ..StoredError::default()
        };
        let error = error.limited();
        assert!(error.message.len() <= ERROR_MESSAGE_LIMIT_BYTES);
        assert!(error.message.ends_with("é… [cut: 2097152 bytes in all]"));
        assert_eq!(error.chain.len(), ERROR_LIMIT_CAUSES);
        assert!(
            error
                .chain
                .iter()
                .all(|words| words.len() <= ERROR_CAUSE_LIMIT_BYTES)
        );
        assert!(
            error
                .backtrace
                .is_some_and(|text| text.len() <= BACKTRACE_LIMIT_BYTES)
        );
    }
}
