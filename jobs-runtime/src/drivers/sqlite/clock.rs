//! The store's clock: the wall clock of this machine, which is one for all processes on the file,
//! kept from going backwards within a process.

use crate::clock::Env;
use crate::core::Timestamp;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A step back of more than this is worth a warning; less is everyday correction.
const WARN_BEYOND_MS: u64 = 1_000;

pub(super) struct StoreClock {
    env: Env,
    /// The last time the wall clock was believed, and the monotonic time then.
    last: Mutex<Option<Reading>>,
}

#[derive(Clone, Copy)]
struct Reading {
    wall: Timestamp,
    monotonic: Duration,
    /// A step back was reported, and the wall clock has not caught up since.
    warned: bool,
}

impl StoreClock {
    pub(super) fn new(env: Env) -> Self {
        StoreClock {
            env,
            last: Mutex::new(None),
        }
    }

    /// Now. While the wall clock stands behind what was read before, time goes on by the monotonic
    /// clock: a clock set back by an hour must not make every lease an hour longer.
    pub(super) fn now(&self) -> Timestamp {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (wall, monotonic) = (self.env.clock.now(), self.env.clock.monotonic());
        let Some(before) = *last else {
            *last = Some(Reading {
                wall,
                monotonic,
                warned: false,
            });
            return wall;
        };
        if wall >= before.wall {
            *last = Some(Reading {
                wall,
                monotonic,
                warned: false,
            });
            return wall;
        }
        let behind = before.wall.since(wall);
        let warn = behind.0 > WARN_BEYOND_MS && !before.warned;
        if warn {
            tracing::warn!(
                behind_ms = behind.0,
                "the wall clock went backwards; the store goes on by the monotonic clock"
            );
        }
        let elapsed = monotonic.saturating_sub(before.monotonic);
        // Whole milliseconds only, and the rest stays in the reading: it must not be lost call by
        // call, or time would stand still.
        let whole = Duration::from_millis(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
        let now = before.wall.after(whole.into());
        *last = Some(Reading {
            wall: now,
            monotonic: before.monotonic + whole,
            warned: before.warned || warn,
        });
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, SeededEntropy, Sleeping};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    #[derive(Default)]
    struct Hands {
        wall: AtomicI64,
        monotonic: AtomicI64,
    }

    struct Watch(Arc<Hands>);

    impl Clock for Watch {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.wall.load(Ordering::Relaxed))
        }

        fn monotonic(&self) -> Duration {
            let millis = self.0.monotonic.load(Ordering::Relaxed);
            Duration::from_millis(millis.cast_unsigned())
        }

        fn sleep(&self, _: Duration) -> Sleeping {
            Box::pin(std::future::ready(()))
        }
    }

    fn clock() -> (StoreClock, impl Fn(i64, i64)) {
        let hands = Arc::new(Hands::default());
        let env = Env::new(Watch(hands.clone()), SeededEntropy::new(1));
        let set = move |wall, monotonic| {
            hands.wall.store(wall, Ordering::Relaxed);
            hands.monotonic.store(monotonic, Ordering::Relaxed);
        };
        set(1_000_000, 0);
        (StoreClock::new(env), set)
    }

    #[test]
    fn time_follows_the_wall_clock_when_it_goes_forward() {
        let (clock, set) = clock();
        assert_eq!(clock.now(), Timestamp(1_000_000));
        set(4_600_000, 5);
        assert_eq!(clock.now(), Timestamp(4_600_000));
    }

    #[test]
    fn time_goes_on_when_the_wall_clock_is_set_back() {
        let (clock, set) = clock();
        clock.now();
        set(1_000_000 - 3_600_000, 250);
        assert_eq!(clock.now(), Timestamp(1_000_250));
        set(1_000_000 - 3_600_000 + 250, 500);
        assert_eq!(clock.now(), Timestamp(1_000_500));
    }

    #[test]
    fn the_wall_clock_is_believed_again_once_it_has_caught_up() {
        let (clock, set) = clock();
        clock.now();
        set(999_000, 100);
        assert_eq!(clock.now(), Timestamp(1_000_100));
        set(1_000_200, 1_300);
        assert_eq!(clock.now(), Timestamp(1_000_200));
    }
}
