//! The constructors of [`Error`] for what goes wrong about the caller's transactions and those of
//! `tx` steps.

use super::Error;
use super::codes::{X_JOB_TIMEOUT, X_OUTBOX_NO_TX, X_TX_REFUSED};
use crate::core::Millis;

impl Error {
    /// A job that says `outbox = required` was enqueued without a transaction.
    #[must_use]
    pub fn outbox_without_tx(job: &str) -> Self {
        Error::new(
            &X_OUTBOX_NO_TX,
            format!(
                "job \"{job}\" says `outbox = required`, and was enqueued outside a transaction"
            ),
            "use `enqueue_in(&mut tx)`, so that the job and your own writes stand or fall together; `without_outbox()` says that this call may do without",
        )
    }

    /// A connection that jobs shall be stored in is in no transaction.
    #[must_use]
    pub fn not_in_transaction() -> Self {
        Error::new(
            &X_OUTBOX_NO_TX,
            "the connection is in no transaction, so what is stored through it would not wait for your COMMIT",
            "begin one with `pool.begin_with(\"BEGIN IMMEDIATE\")`, and give that",
        )
    }

    /// The database refused at COMMIT what the body of a `tx` step had written.
    #[must_use]
    pub fn tx_refused(cause: impl std::fmt::Display) -> Self {
        Error::new(
            &X_TX_REFUSED,
            format!("the transaction of the step was refused at its COMMIT: {cause}"),
            "mend what the body writes: a foreign key that is deferred is checked only then",
        )
    }

    /// The body of a `tx` step held the right to write for too long.
    #[must_use]
    pub fn tx_too_long(limit: Millis) -> Self {
        let message = format!(
            "the transaction of the step was open for more than {limit}, a third of the shortest visibility timeout: while it writes, nobody else can, and the leases of other jobs would run out"
        );
        Error::new(
            &X_JOB_TIMEOUT,
            message,
            "do the slow part in a step of its own before this one, or raise `visibility_timeout`",
        )
    }
}
