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
mod url;

pub(crate) use codes::check_codes;
pub use codes::{Code, codes};
pub(crate) use url::scheme;

use crate::core::{ERROR_LIMIT_CAUSES, StoredError};
use std::fmt;
use std::sync::Arc;

/// The longest message or remedy, in bytes: it may quote a name that a user chose.
const MAX_TEXT_BYTES: usize = 8 * 1024;

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
            message: inert(message.into()),
            fix: inert(fix.into()),
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
        while let Some(cause) = source.filter(|_| chain.len() < ERROR_LIMIT_CAUSES) {
            chain.push(cause.to_string());
            source = cause.source();
        }
        StoredError {
            chain,
            ..StoredError::new(self.code(), &*self.message)
        }
        .limited()
    }

    fn is(&self, code: &'static Code) -> bool {
        self.code.name == code.name
    }
}

/// The text as a terminal or a log may show it: what would steer either is spelt out, and what is
/// longer than anybody reads is cut.
fn inert(text: Arc<str>) -> Arc<str> {
    if text.len() <= MAX_TEXT_BYTES && !text.chars().any(steers) {
        return text;
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    let mut out = String::with_capacity(end);
    for c in text[..end].chars() {
        match steers(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    if end < text.len() {
        out.push('…');
    }
    out.into()
}

/// Characters that move a cursor, change colours or turn the direction of writing.
fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n')
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
