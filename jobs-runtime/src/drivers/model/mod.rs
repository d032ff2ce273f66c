//! The verbs over maps: the one place where what `core` decides about a job meets the rows of the
//! others, its keys, waits, events, parents and children.
//!
//! The memory driver keeps such a store. A driver of a database may fill one with the rows that a
//! request touches, apply the request to it, and store what has changed: it is told what was
//! missing ([`lacks`]), so that it need not know beforehand.

mod chain;
mod children;
mod claim;
mod commit;
mod enqueue;
mod events;
mod journal;
mod lacks;
mod lanes;
mod replaced;
mod row;
mod settings;
mod store;

pub(crate) use lacks::{Known, Need, Part, Wanted};
pub(crate) use row::Row;
pub(crate) use store::{EventRow, Follower, KeyHold, Store};
