//! The error of a job body: anything that can be an error, with its chain, and whether another
//! attempt can mend it.

use crate::Error;
use crate::core::{ERROR_LIMIT_CAUSES, StoredError};
use crate::steps::StepError;
use std::error::Error as StdError;
use std::fmt;

/// `Result` with [`Failure`] as its usual error, for job bodies, steps and `main`.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a body failed. Every `std::error::Error` turns into one by `?`.
///
/// A failed attempt is tried again after the job's backoff, unless the failure is fatal:
///
/// ```
/// use jobs_runtime::Failure;
///
/// fn check(age: u32) -> jobs_runtime::Result<()> {
///     if age < 18 {
///         return Err(Failure::msg("too young to order").fatal());
///     }
///     Ok(())
/// }
/// # assert!(check(17).unwrap_err().is_fatal());
/// ```
pub struct Failure {
    error: Box<dyn StdError + Send + Sync + 'static>,
    fatal: bool,
}

impl Failure {
    /// A failure with nothing but words.
    pub fn msg(message: impl fmt::Display) -> Self {
        Failure {
            error: Box::new(Message(message.to_string())),
            fatal: false,
        }
    }

    /// The same failure, marked as one that no further attempt can mend.
    #[must_use]
    pub fn fatal(self) -> Self {
        Failure {
            fatal: true,
            ..self
        }
    }

    /// Whether another attempt is pointless: it was marked so, or a step in its chain was.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        self.fatal || self.step_error().is_some_and(|step| step.stored().fatal)
    }

    /// The error and its causes, outermost first.
    pub fn chain(&self) -> impl Iterator<Item = &(dyn StdError + 'static)> {
        let first: &(dyn StdError + 'static) = self.error.as_ref();
        std::iter::successors(
            Some(first),
            |error: &&'_ (dyn StdError + 'static)| -> Option<&(dyn StdError + 'static)> {
                (*error).source()
            },
        )
        .take(1 + ERROR_LIMIT_CAUSES)
    }

    /// The first error of type `E` in the chain.
    #[must_use]
    pub fn find<E: StdError + 'static>(&self) -> Option<&E> {
        self.chain().find_map(|error| error.downcast_ref())
    }

    /// The failed step whose error this is, if it is one's.
    #[must_use]
    pub fn step_error(&self) -> Option<&StepError> {
        self.find()
    }

    /// The diagnostic in the chain: its code, its fix and where to read on.
    #[must_use]
    pub fn diagnostic(&self) -> Option<&dyn miette::Diagnostic> {
        let own = self
            .find::<Error>()
            .map(|error| error as &dyn miette::Diagnostic);
        own.or_else(|| {
            self.find::<StepError>()
                .map(|error| error as &dyn miette::Diagnostic)
        })
    }

    /// The form that is stored: cut where it is longer than
    /// [an error may be](crate::core::ERROR_MESSAGE_LIMIT_BYTES).
    #[must_use]
    pub fn stored(&self) -> StoredError {
        let mut words = self.chain().map(ToString::to_string);
        let code = self.find::<Error>().map(|error| error.code().to_owned());
        let step_code = || {
            self.step_error()
                .and_then(|step| step.stored().code.clone())
        };
        StoredError {
            message: words.next().unwrap_or_default(),
            chain: words.collect(),
            code: code.or_else(step_code),
            fatal: self.is_fatal(),
            backtrace: None,
        }
        .limited()
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure {
            error: Box::new(error),
            fatal: false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl fmt::Debug for Failure {
    /// As a person wants to read it at the end of `main`: the words, the causes, the code, the fix
    /// and the link.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chain = self.chain();
        if let Some(first) = chain.next() {
            write!(f, "{first}")?;
        }
        for cause in chain {
            write!(f, "\n  because: {cause}")?;
        }
        if let Some(diagnostic) = self.diagnostic() {
            let lines = [
                ("code", diagnostic.code()),
                ("fix", diagnostic.help()),
                ("docs", diagnostic.url()),
            ];
            for (word, text) in lines {
                if let Some(text) = text {
                    write!(f, "\n  {word}: {text}")?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Message(String);

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Message {}

/// Marks an error as fatal on its way out: `parse(&text).fatal()?`.
pub trait FatalExt<T> {
    /// The same result, whose error no further attempt can mend.
    ///
    /// # Errors
    /// Whatever error there was.
    fn fatal(self) -> Result<T>;
}

impl<T, E: Into<Failure>> FatalExt<T> for std::result::Result<T, E> {
    fn fatal(self) -> Result<T> {
        self.map_err(|error| error.into().fatal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_ends_main_shows_the_code_the_fix_and_the_link_of_the_error_within() {
        let error = Error::job_unknown("7");
        let (fix, docs) = (error.fix().to_owned(), error.docs());
        let shown = format!("{:?}", Failure::from(error));
        assert_eq!(
            shown,
            format!("there is no job 7\n  code: X_JOB_UNKNOWN\n  fix: {fix}\n  docs: {docs}")
        );
    }

    #[test]
    fn a_failure_of_mere_words_shows_them_alone() {
        assert_eq!(
            format!("{:?}", Failure::msg("no such card")),
            "no such card"
        );
    }
}
