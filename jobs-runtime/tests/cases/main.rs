//! What the field reported of other systems, played here: a test for each report, named after its
//! number, on every store of this build. The page "Cases" of the book lists them all, also those
//! that wait for a store or a feature; [`table`] holds it to the tests.

// Without SQLite what only its cases need stands idle.
#![cfg_attr(
    not(feature = "sqlite"),
    allow(dead_code, unused_imports, unused_macros)
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod claim;
mod conn;
mod faults;
#[cfg(feature = "sqlite")]
mod file;
mod flow;
mod jobs;
mod key;
mod lease;
mod logs;
#[cfg(feature = "sqlx-sqlite")]
mod pool;
mod raw;
mod retry;
mod shared;
mod step;
mod support;
mod table;
mod text;
mod wake;
