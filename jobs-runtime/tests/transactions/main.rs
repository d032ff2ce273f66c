//! The caller's own transactions, and those of `tx` steps, on a SQLite file that an application
//! shares with its jobs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod callers;
mod corners;
mod crashes;
mod outbox;
mod places;
mod steps;
mod support;
