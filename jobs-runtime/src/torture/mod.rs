//! What proves the promises: histories of runs in which everything was made to fail, and the
//! checker that reads them. For tests only, behind the feature `torture`; nothing here is part of a
//! program that does work.
//!
//! A run of a torture test writes down every call to the store and every answer, every effect of
//! a body at the place where it happens, and what was done to its processes: a list of
//! [`history::Entry`]. How the run was made, by a simulator or by killing processes, is not known
//! here.
//!
//! Here are also the means to make it fail: the points at which a process can be killed, and bugs
//! that are planted to see whether they are found. A build without the feature has `no_torture.rs`
//! in the place of this module.

mod bug;
pub mod check;
pub mod history;
pub mod ledger;
pub mod log;
pub mod points;
pub mod recorder;
pub mod seeded;
pub mod sim;
pub mod workload;

pub use bug::Bug;
#[allow(
    unused_imports,
    reason = "a build without SQLite has no driver with writes of its own"
)]
pub(crate) use points::write_points;
pub(crate) use points::{call_points, crash_point};
