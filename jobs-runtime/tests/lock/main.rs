//! The lock file, the preflight, the graph and the command line, over the jobs in `defs`; in `changed` and
//! `typed` what the lock knows of the steps in a body. How two
//! locks differ is tested where they are compared, in `src/lock/compare/tests.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod changed;
mod defs;
mod files;
mod preflight;
mod schedules;
mod shown;
mod typed;
