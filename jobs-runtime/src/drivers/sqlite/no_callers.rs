//! In place of `callers` where the feature `sqlx-sqlite` is off: there are no connections of a
//! caller, and so nothing to do for them.

use super::fault::Fault;
use super::{Shared, Sqlite};
use rusqlite::types::Value;
use std::sync::Arc;

/// A connection of a caller. There is none.
pub(super) enum Link {}

impl Link {
    pub(super) fn run(&self, _sql: &str, _values: Vec<Value>) -> Result<usize, Fault> {
        match *self {}
    }

    pub(super) fn rows(&self, _sql: &str, _values: Vec<Value>) -> Result<Vec<Vec<Value>>, Fault> {
        match *self {}
    }
}

/// Where transactions of steps come from: from nowhere.
pub(super) struct StepPool;

/// Nobody will look for the store.
pub(super) fn remember(_store: &Arc<Shared>) {}

/// No transaction can belong to the store.
pub(super) fn transactions(_store: &Sqlite) -> Option<&dyn std::any::Any> {
    None
}

impl Sqlite {
    pub(super) async fn close_pool(&self) {}
}
