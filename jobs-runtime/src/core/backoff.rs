//! How long to wait before the next attempt. The randomness is given.

use super::Millis;
use serde::{Deserialize, Serialize};

/// The delay before an attempt: fixed, or doubling from a least to a most. Never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backoff {
    min: Millis,
    max: Millis,
}

impl ::core::fmt::Display for Backoff {
    /// In the notation of the options: `1s..1h`, and `30s` if it is fixed.
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.min == self.max {
            true => write!(f, "{}", self.min),
            false => write!(f, "{}..{}", self.min, self.max),
        }
    }
}

impl Backoff {
    /// One second doubling to one hour.
    pub const DEFAULT: Backoff = Backoff::exponential(Millis(1_000), Millis(3_600_000));

    /// The same delay each time. Zero is taken as one millisecond, so that a failing job can
    /// never spin.
    #[must_use]
    pub const fn fixed(delay: Millis) -> Backoff {
        Backoff::exponential(delay, delay)
    }

    /// Doubles from `min` to `max`. A `max` below `min` counts as `min`.
    #[must_use]
    pub const fn exponential(min: Millis, max: Millis) -> Backoff {
        let min = if min.0 == 0 { Millis(1) } else { min };
        let max = if max.0 < min.0 { min } else { max };
        Backoff { min, max }
    }

    /// The delay after the failure of attempt `attempt` (from 1).
    ///
    /// A doubling delay is spread over its upper half by `random`, so that jobs which failed
    /// together do not come back together; a fixed one is kept exactly.
    #[must_use]
    pub fn delay(&self, attempt: u32, random: u64) -> Millis {
        if self.min == self.max {
            return self.min;
        }
        let doublings = attempt.saturating_sub(1).min(63);
        let full = self.min.0.saturating_mul(1 << doublings).min(self.max.0);
        let half = full / 2;
        // `full - half` is at least 1, and `random % n` is as even as a jitter needs.
        let spread = random % (full - half).saturating_add(1);
        Millis((half + spread).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_from_the_least_to_the_most() {
        let backoff = Backoff::exponential(Millis(1_000), Millis(8_000));
        let most: [u64; 6] = [1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
        for (attempt, most) in (1..).zip(most) {
            for random in [0, 1, 77, u64::MAX / 3, u64::MAX] {
                let delay = backoff.delay(attempt, random).0;
                assert!((most / 2..=most).contains(&delay), "{attempt}: {delay}");
            }
        }
    }

    #[test]
    fn b58_attempt_400_waits_the_most_instead_of_overflowing() {
        let day = Millis(86_400_000);
        let backoff = Backoff::exponential(Millis(1_000), day);
        let delay = backoff.delay(400, 12_345);
        assert!(delay <= day && delay.0 >= day.0 / 2);
    }

    #[test]
    fn no_backoff_is_zero() {
        assert_eq!(Backoff::fixed(Millis::ZERO).delay(1, 0), Millis(1));
        assert!(Backoff::exponential(Millis::ZERO, Millis(1)).delay(1, 0) >= Millis(1));
        assert!(Backoff::exponential(Millis(1), Millis(9)).delay(1, 0) >= Millis(1));
    }

    #[test]
    fn a_fixed_backoff_has_no_jitter() {
        let backoff = Backoff::fixed(Millis(30_000));
        assert_eq!(backoff.delay(1, 3), backoff.delay(9, u64::MAX));
    }
}
