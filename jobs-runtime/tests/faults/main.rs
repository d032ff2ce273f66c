//! The SQLite store under what disks do: power cuts, failing writes and syncs, a full disk, damaged
//! files, and many processes at once.
//!
//! Each test stands for a fault. The processes that they start are this same program, which then
//! runs one test, `process::serves`. What needs root or strace is ignored by a plain test run, and
//! run by `scripts/test faults`, which says so when they are not there. Linux only.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod damage;
mod disk;
mod disk_full;
mod found;
mod io_errors;
mod ledger;
mod power_cut;
mod process;
mod settings;
mod storm;
mod trace;
