//! `jobs.lock`: the durable shape of a program, written down to be reviewed in a diff, and what it
//! means for stored runs when it changes. Which runs a change would really hit is told by
//! [`preflight`].
//!
//! A run that began under yesterday's program goes on under today's. It finds its steps by their
//! names and reads values that another version wrote, so some changes that compile well lose what
//! was done. The lock file holds what stored runs rely on, and nothing else: no lines, no bodies.
//!
//! ```
//! use jobs_runtime::lock::{Lock, compare};
//! # fn check() -> jobs_runtime::Result<()> {
//! let was = Lock::read("version = 1")?; // what `jobs lock` wrote before
//! let is = Lock::of_program()?;
//! for finding in compare(&was, &is).risky() {
//!     eprintln!("{}\n  help: {}", finding.message, finding.remedy);
//! }
//! # Ok(()) }
//! # check().unwrap();
//! ```
//!
//! The command line does the same: see [`cli`](crate::cli), with the feature `cli`.

mod compare;
mod errors;
mod fields;
mod model;
mod place;
mod preflight;
mod read;
mod take;
mod write;

pub use compare::{Finding, Report, Risk, compare};
pub use fields::Field;
pub use model::{EventLock, JobLock, Lock, StepLock, TypeLock};
pub use place::Place;
pub use preflight::{MAX_TROUBLES, Misfit, Preflight, Trouble, preflight};
pub use read::MAX_LOCK_BYTES;
