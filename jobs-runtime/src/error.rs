//! The one error of every call: a stable code, what happened, what to do, and where to read on.
//!
//! Small kinds live in `error/`, one constructor each; callers branch on [`Error::code`] or on the
//! predicates, and never see a backend's own type. Errors of job bodies are [`crate::Failure`].

pub(crate) mod codes;
mod kinds;
mod predicates;
mod schedules;
#[cfg(test)]
mod tests;
mod transactions;

pub(crate) use codes::check_codes;
pub use codes::{Code, codes};

use crate::core::StoredError;
use std::fmt;
use std::sync::Arc;

/// Causes that are kept of one error.
const MAX_CHAIN: usize = 32;

type Source = Arc<dyn std::error::Error + Send + Sync + 'static>;

/// What every fallible call of this library gives. Cheap to clone.
///
/// ```
/// use jobs_runtime::Error;
///
/// fn tell(error: &Error) -> String {
///     format!("{} ({}): {}", error, error.code(), error.fix())
/// }
/// ```
#[derive(Clone)]
pub struct Error {
    code: &'static Code,
    message: Arc<str>,
    fix: Arc<str>,
    source: Option<Source>,
}

impl Error {
    pub(crate) fn new(
        code: &'static Code,
        message: impl Into<Arc<str>>,
        fix: impl Into<Arc<str>>,
    ) -> Self {
        Error {
            code,
            message: message.into(),
            fix: fix.into(),
            source: None,
        }
    }

    pub(crate) fn caused_by(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Error {
            source: Some(Arc::new(source)),
            ..self
        }
    }

    /// The stable code, such as `X_JOB_DUPLICATE`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code.name
    }

    /// What to do about it: the edit or the command.
    #[must_use]
    pub fn fix(&self) -> &str {
        &self.fix
    }

    /// Where this code is explained.
    #[must_use]
    pub fn docs(&self) -> String {
        self.code.docs()
    }

    /// The form in which a step or a job keeps it.
    pub(crate) fn stored(&self) -> StoredError {
        let mut chain = Vec::new();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source.filter(|_| chain.len() < MAX_CHAIN) {
            chain.push(cause.to_string());
            source = cause.source();
        }
        StoredError {
            chain,
            ..StoredError::new(self.code(), &*self.message)
        }
    }

    fn is(&self, code: &'static Code) -> bool {
        self.code.name == code.name
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    /// For people who `unwrap`: the code, the message and the fix on lines of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}\n  fix: {}\n  docs: {}",
            self.code(),
            self.message,
            self.fix,
            self.docs()
        )?;
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            write!(f, "\n  because: {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl miette::Diagnostic for Error {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.name))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&*self.fix))
    }

    fn url<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.docs()))
    }
}
