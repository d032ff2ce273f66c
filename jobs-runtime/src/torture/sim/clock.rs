//! The clock of one process: the time of the run, and what is wrong with this machine's wall clock.
//! Only the wall clock jumps; nothing may measure a span by it.

use crate::clock::{Clock, Sleeping, VirtualClock};
use crate::core::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// One process's clock.
#[derive(Clone)]
pub(super) struct SkewedClock {
    pub(super) time: VirtualClock,
    /// How far its wall clock is ahead, in milliseconds.
    pub(super) ahead: Arc<AtomicI64>,
}

impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        let now = self.time.now();
        Timestamp(now.0.saturating_add(self.ahead.load(Ordering::Relaxed)))
    }

    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    fn sleep(&self, span: Duration) -> Sleeping {
        self.time.sleep(span)
    }
}
