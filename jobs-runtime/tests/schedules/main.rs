//! Tasks: their ticks in virtual time, on each store of this build, and under real workers.
//!
//! A binary of its own, because a real worker makes the ticks of every task of its program. What
//! the field reported of other schedulers is named after its number, as in `b59_..`.

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

mod admin;
mod cases;
#[cfg(feature = "sqlite")]
mod fleet;
mod refusals;
mod run_time;
mod support;
mod workers;
