//! Since when a body is being polled, for the heartbeat thread to see one that blocks its thread.
//!
//! Whether such a body keeps its lease is decided in [`super::leases`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A body that is polled for so large a part of its lease blocks its thread.
const SHARE_OF_LEASE: u32 = 3;

/// The poll of one body that is under way, if one is.
#[derive(Debug, Default)]
pub(crate) struct Polling {
    /// By the monotonic clock, in milliseconds, plus one; zero while it is not polled.
    since: AtomicU64,
    /// This poll was told of.
    told: AtomicBool,
}

/// Ends with the poll, also with one that panics.
pub(super) struct Poll<'a>(&'a Polling);

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        self.0.since.store(0, Ordering::Relaxed);
    }
}

impl Polling {
    pub(super) fn begin(&self, mono: Duration) -> Poll<'_> {
        let millis = u64::try_from(mono.as_millis()).unwrap_or(u64::MAX);
        self.told.store(false, Ordering::Relaxed);
        self.since
            .store(millis.saturating_add(1), Ordering::Relaxed);
        Poll(self)
    }

    /// How long the body has blocked its thread, told once for each poll.
    pub(super) fn blocked(&self, mono: Duration, lease: Duration) -> Option<Duration> {
        let since = self.since.load(Ordering::Relaxed).checked_sub(1)?;
        let span = mono.saturating_sub(Duration::from_millis(since));
        let blocks = span >= lease / SHARE_OF_LEASE && !self.told.swap(true, Ordering::Relaxed);
        blocks.then_some(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    #[test]
    fn a_body_that_blocks_is_told_of_once_a_poll() {
        let polling = Polling::default();
        let seconds = Duration::from_secs;
        assert_eq!(polling.blocked(seconds(99), LEASE), None);
        let poll = polling.begin(seconds(100));
        assert_eq!(polling.blocked(seconds(101), LEASE), None);
        assert_eq!(polling.blocked(seconds(112), LEASE), Some(seconds(12)));
        assert_eq!(polling.blocked(seconds(130), LEASE), None);
        drop(poll);
        assert_eq!(polling.blocked(seconds(200), LEASE), None);
        let _poll = polling.begin(seconds(200));
        assert_eq!(polling.blocked(seconds(220), LEASE), Some(seconds(20)));
    }
}
