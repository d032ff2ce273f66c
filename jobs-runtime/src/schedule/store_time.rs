//! The time of the store, as far as a worker knows it: from the last answer that carried it, and
//! what has passed since. The worker's own clock may be wrong, and says nothing here.

use crate::clock::Clock;
use crate::core::Timestamp;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Shared between the poller, which hears the time, and the scheduler, which asks for it.
#[derive(Default)]
pub(crate) struct StoreTime {
    /// The time of an answer, and what the monotonic clock showed when it was asked for.
    heard: Mutex<Option<(Timestamp, Duration)>>,
    first: Notify,
}

impl StoreTime {
    /// The store said that it is `now`; it was asked when the monotonic clock showed `asked`.
    pub(crate) fn hear(&self, now: Timestamp, asked: Duration) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, asked));
        self.first.notify_waiters();
    }

    /// The store's time; waits until there is one.
    pub(crate) async fn now(&self, clock: &dyn Clock) -> Timestamp {
        loop {
            let heard = self.first.notified();
            if let Some(now) = clock.imposed().or_else(|| self.estimate(clock)) {
                return now;
            }
            heard.await;
        }
    }

    fn estimate(&self, clock: &dyn Clock) -> Option<Timestamp> {
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.map(|(now, asked)| now.after(clock.monotonic().saturating_sub(asked).into()))
    }
}
