//! A job of the torture tests whose effects are rows in the store's own file, written in `tx`
//! steps: each row and the record of its step are there together or not at all, and once.
//!
//! Only where sqlx is; `no_torture_paid.rs` stands in its place elsewhere.

mod check;
mod job;
mod tx;

pub use check::check;
pub use job::enqueue;
pub use tx::record_with;

/// Whether this program has the job.
pub const IS_THERE: bool = true;
