//! The caller's own transactions: jobs, events and steps stored through a connection of sqlx, in
//! the application's own database.
//!
//! The verbs are those of the store, with their statements, inside a savepoint. Beginning and ending
//! is the caller's, but for `tx` steps, whose transaction is in [`step`].

mod pool;
mod step;
mod stores;
mod transaction;

pub use pool::MAX_STEP_CONNECTIONS;
pub(super) use pool::steps_of;
pub use step::PostgresTx;
pub(super) use stores::{Place, place, remember};
