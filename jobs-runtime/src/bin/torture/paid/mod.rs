//! A job of the torture tests whose effects are rows in the store's own file, written in `tx`
//! steps: each row and the record of its step are there together or not at all, and once.
//!
//! Here and not in the library, which is linked into programs whose store has no transactions.

mod check;
mod job;
mod tx;

pub(crate) use check::check;
pub(crate) use job::enqueue;
pub(crate) use tx::record_with;
