//! The right to write, for the transaction of a step, which takes it along.

use crate::drivers::sqlite::Shared;
use std::sync::Arc;

/// The same right for somebody who takes it along: the transaction of a step.
pub(super) struct OwnTurn(Arc<Shared>);

impl OwnTurn {
    /// Waits for all who came before.
    pub(super) fn take(shared: Arc<Shared>) -> Self {
        shared.turns.stand();
        OwnTurn(shared)
    }
}

impl Drop for OwnTurn {
    fn drop(&mut self) {
        self.0.turns.pass();
    }
}
