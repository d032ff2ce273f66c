//! The error of a step: what was stored of it, the same live and on replay.

use crate::core::StoredError;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// Why a step failed, in the form in which it is stored: so a body takes the same branch on
/// replay. A business failure that the body shall tell apart is better a value: give
/// `Ok(Err(declined))` from the step.
#[derive(Clone)]
pub struct StepError {
    step: Arc<str>,
    stored: Arc<StoredError>,
    cause: Option<Arc<Cause>>,
}

impl StepError {
    pub(crate) fn new(step: &str, stored: StoredError) -> Self {
        let cause = stored.chain.iter().rev().fold(None, |next, words| {
            Some(Arc::new(Cause {
                words: words.clone(),
                next,
            }))
        });
        StepError {
            step: step.into(),
            stored: Arc::new(stored),
            cause,
        }
    }

    /// The rendered name of the step.
    #[must_use]
    pub fn step(&self) -> &str {
        &self.step
    }

    /// The stable code, if the error had one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.stored.code.as_deref()
    }

    /// The error's own words.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.stored.message
    }

    /// Whether a step or a required wait took too long.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.code() == Some("X_JOB_TIMEOUT")
    }

    /// Whether the worker died inside a body that may not run twice.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.code() == Some("X_STEP_INTERRUPTED")
    }

    pub(crate) fn stored(&self) -> &StoredError {
        &self.stored
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step \"{}\" failed: {}", self.step, self.stored.message)
    }
}

impl fmt::Debug for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step \"{}\" failed: {}", self.step, self.stored)
    }
}

impl StdError for StepError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause
            .as_deref()
            .map(|cause| cause as &(dyn StdError + 'static))
    }
}

impl miette::Diagnostic for StepError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code()
            .map(|code| Box::new(code) as Box<dyn fmt::Display + 'a>)
    }
}

#[derive(Debug)]
struct Cause {
    words: String,
    next: Option<Arc<Cause>>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.next
            .as_deref()
            .map(|cause| cause as &(dyn StdError + 'static))
    }
}
