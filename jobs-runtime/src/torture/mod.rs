//! Breaking this crate on purpose: where a process can be killed, and bugs that are planted to see
//! whether the tests find them.
//!
//! Only in builds with the feature `torture`; others have `no_torture.rs` in its place.

mod bug;
pub mod points;
pub mod seeded;

pub use bug::Bug;
pub(crate) use points::{call_points, crash_point, write_points};
