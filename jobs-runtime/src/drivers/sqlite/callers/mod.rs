//! The caller's own transactions: jobs, events and steps stored through a connection of sqlx, in
//! the application's own file.
//!
//! The verbs are those of the store, with their statements; [`link`] carries them over. Beginning
//! and ending is the caller's, but for `tx` steps, whose transaction is in [`step`].

mod link;
mod pool;
mod step;
mod stores;
mod transaction;
mod turn;

pub(super) use link::Link;
pub use pool::MAX_STEP_CONNECTIONS;
pub(super) use pool::StepPool;
pub use step::SqliteTx;
pub(super) use stores::remember;

/// The store, for transactions that look for it.
pub(super) fn transactions(store: &super::Sqlite) -> Option<&dyn std::any::Any> {
    Some(store)
}
