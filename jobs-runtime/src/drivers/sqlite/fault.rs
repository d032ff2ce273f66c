//! What can go wrong at a statement, and which error it becomes.
//!
//! Not here: whether a write may have happened. Only the writer knows how far it had come, and it
//! says so when it turns a fault into an error.

use crate::Error;
use rusqlite::ErrorCode;
use std::path::Path;

/// A statement, or what was read by it, that failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// A value that no version of this library wrote.
    Corrupt(String),
    /// One item's fault by its kind, but SQLite has rolled back all of its transaction.
    Lost(String),
    /// Not SQLite's fault: already an error with its remedy.
    Refused(Error),
    /// What SQLite said.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Sqlite(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Refused(error)
    }
}

impl Fault {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Fault::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => Some(failure.code),
            _ => None,
        }
    }

    /// The fault lies in one item: the others of its transaction can go on without it.
    pub(super) fn is_one_items(&self) -> bool {
        match self {
            Fault::Corrupt(_) | Fault::Refused(_) => true,
            Fault::Lost(_) => false,
            Fault::Sqlite(cause) => Fault::is_own_code(cause),
        }
    }

    fn is_own_code(cause: &rusqlite::Error) -> bool {
        match cause {
            rusqlite::Error::SqliteFailure(failure, _) => matches!(
                failure.code,
                ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch
            ),
            // A column of another type than was asked for, and the like: the row is at fault.
            _ => true,
        }
    }

    /// The same fault, once the transaction is known to be gone.
    pub(super) fn that_lost_all(self) -> Fault {
        match self {
            Fault::Sqlite(cause) if Fault::is_own_code(&cause) => Fault::Lost(cause.to_string()),
            other => other,
        }
    }

    /// Somebody else holds the lock: the same statement may work in a moment.
    pub(super) fn is_busy(&self) -> bool {
        matches!(
            self.code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    }

    /// A transaction that began by reading cannot write, because somebody else has written since.
    fn is_stale(&self) -> bool {
        matches!(
            self,
            Fault::Sqlite(rusqlite::Error::SqliteFailure(failure, _))
                if failure.extended_code == rusqlite::ffi::SQLITE_BUSY_SNAPSHOT
        )
    }

    /// The connection should not be used again: what it holds in memory may no longer fit the file.
    pub(super) fn breaks_connection(&self) -> bool {
        !self.is_one_items() && !self.is_busy()
    }

    /// The error for a caller none of whose writes has happened.
    pub(super) fn before_write(self, path: &Path) -> Error {
        let at = |cause: &dyn std::fmt::Display| format!("{}: {cause}", path.display());
        let unavailable = |cause: &dyn std::fmt::Display, fix: &str| {
            Error::driver_unavailable("SQLite", at(cause), fix)
        };
        let (code, is_stale) = (self.code(), self.is_stale());
        let cause = match self {
            Fault::Corrupt(what) => return Error::store_corrupt(at(&what)),
            Fault::Refused(error) => return error,
            Fault::Lost(cause) => {
                let fix = "try again: what shared the transaction is not at fault";
                return unavailable(&cause, fix);
            }
            Fault::Sqlite(cause) => cause,
        };
        match code {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) | None => {
                Error::store_corrupt(at(&cause)).with_source(cause)
            }
            Some(ErrorCode::DatabaseBusy) if is_stale => unavailable(
                &cause,
                "the transaction began by reading, and somebody has written since: run it again, \
                 and begin it with `pool.begin_with(\"BEGIN IMMEDIATE\")`",
            ),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => unavailable(
                &cause,
                "another process holds the write lock for longer than the busy timeout: \
                 keep its transactions short, or raise the timeout",
            ),
            Some(ErrorCode::DiskFull) => unavailable(
                &cause,
                "make room on the disk; the store goes on by itself then",
            ),
            // The header of a file says whether it may be written to, and so does its owner.
            Some(ErrorCode::ReadOnly) => unavailable(
                &cause,
                "let this user write to the file and to its folder; if it may, the file is \
                 damaged: see what `jobs_runtime::doctor` finds",
            ),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => unavailable(
                &cause,
                "let this user write to the file and to its folder: SQLite keeps two more \
                     files beside it",
            ),
            Some(ErrorCode::ConstraintViolation) => unavailable(
                &cause,
                "the value breaks a rule of the schema: report this, it is a mistake of the driver",
            ),
            Some(_) => unavailable(&cause, "look at the disk under the store, then try again"),
        }
    }

    /// The error for a caller whose write was sent: it may be found in the file or not.
    pub(super) fn after_write(self, path: &Path) -> Error {
        match self {
            Fault::Refused(error) => error,
            Fault::Corrupt(what) | Fault::Lost(what) => {
                Error::outcome_unknown("SQLite", format_args!("{}: {what}", path.display()))
            }
            Fault::Sqlite(cause) => {
                let message = format!("{}: {cause}", path.display());
                Error::outcome_unknown("SQLite", message).with_source(cause)
            }
        }
    }
}
