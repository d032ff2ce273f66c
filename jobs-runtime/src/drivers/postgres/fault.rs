//! What can go wrong at a statement, and which error it becomes.

use crate::Error;
use std::borrow::Cow;

/// A statement, or what was read by it, that failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// A value that no version of this library wrote.
    Corrupt(String),
    /// Already an error with its remedy.
    Refused(Error),
    /// What the database or the way to it said.
    Sqlx(sqlx::Error),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Fault::Sqlx(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Refused(error)
    }
}

impl Fault {
    /// The SQLSTATE, if the server said one.
    fn code(&self) -> Option<Cow<'_, str>> {
        match self {
            Fault::Sqlx(sqlx::Error::Database(error)) => error.code(),
            _ => None,
        }
    }

    /// Two transactions met: the same one may succeed in a moment. 40: a deadlock or a conflict;
    /// 23505: both stored the same new row, and the second try will find it.
    pub(super) fn is_collision(&self) -> bool {
        self.code()
            .is_some_and(|code| code.starts_with("40") || code == "23505")
    }

    /// Both stored the same new row: a second try will find the other's.
    pub(super) fn is_twin(&self) -> bool {
        self.code().as_deref() == Some("23505")
    }

    /// The server, or this connection to it, is ended.
    fn is_end_of_server(&self) -> bool {
        self.code().is_some_and(|code| code.starts_with("57P"))
    }

    /// A lock was not to be had in time.
    pub(super) fn is_held(&self) -> bool {
        self.code().as_deref() == Some("55P03")
    }

    /// The database refused what was written, and not the machine or another transaction.
    pub(super) fn is_refusal(&self) -> bool {
        self.code().is_some_and(|code| code.starts_with("23"))
    }

    /// The fault lies in what one item says: the others of its batch can go on without it.
    /// 22: a value; 23: a rule of the schema; 54: too large for the database.
    pub(super) fn is_one_items(&self) -> bool {
        match self {
            Fault::Corrupt(_) | Fault::Refused(_) => true,
            Fault::Sqlx(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Encode(_)) => true,
            Fault::Sqlx(_) => self.code().is_some_and(|code| {
                !self.is_collision()
                    && ["22", "23", "54"]
                        .iter()
                        .any(|class| code.starts_with(class))
            }),
        }
    }

    /// The error for a caller none of whose writes has happened.
    pub(super) fn before_write(self) -> Error {
        let fix = self.fix();
        match self {
            Fault::Corrupt(what) => Error::store_corrupt(what),
            Fault::Refused(error) => error,
            Fault::Sqlx(cause) => {
                Error::driver_unavailable("Postgres", &cause, fix).with_source(cause)
            }
        }
    }

    /// The error for a caller whose COMMIT was sent: it may have happened or not.
    pub(super) fn after_commit(self) -> Error {
        match self {
            Fault::Refused(error) => error,
            // The server answered, so it is known not to have happened; but for the answer that it
            // ends, which may be about what comes after the commit.
            Fault::Sqlx(sqlx::Error::Database(_)) if !self.is_end_of_server() => {
                self.before_write()
            }
            Fault::Corrupt(what) => Error::outcome_unknown("Postgres", what),
            Fault::Sqlx(cause) => {
                Error::outcome_unknown("Postgres", cause.to_string()).with_source(cause)
            }
        }
    }

    fn fix(&self) -> &'static str {
        let Some(code) = self.code() else {
            return "see that the server runs and can be reached at this address; the store goes \
                    on by itself then";
        };
        match code.as_ref() {
            "40001" | "40P01" => "two transactions met: roll yours back, and make it again",
            "28000" | "28P01" => "give a user and a password that the server knows in the URL",
            "3D000" => "create the database, or name one that is there in the URL",
            "25006" => {
                "this server is a standby, or the transaction is read-only: connect to the one \
                 that takes writes"
            }
            "42501" => "let this user create and use the schema of the store",
            "42P01" | "3F000" => "the schema of the store is gone: connect anew, which creates it",
            "53100" => "make room on the disk of the server; the store goes on by itself then",
            "53300" => "allow the server more connections, or ask for fewer in the URL",
            "57014" => "a statement took longer than `statement_timeout` allows: raise it",
            _ => "look at the log of the server, then try again",
        }
    }
}
