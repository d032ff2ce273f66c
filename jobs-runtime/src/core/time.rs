//! Instants and spans as integers of milliseconds. Reading a clock is not done here.

use ::core::fmt;
use ::core::time::Duration;
use serde::{Deserialize, Serialize};

/// An instant, in milliseconds since the Unix epoch, by the clock of the store.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The instant `span` later; saturates at the end of time instead of wrapping.
    #[must_use]
    pub fn after(self, span: Millis) -> Timestamp {
        Timestamp(self.0.saturating_add_unsigned(span.0))
    }

    /// The instant `span` earlier; saturates at the beginning of time.
    #[must_use]
    pub fn before(self, span: Millis) -> Timestamp {
        Timestamp(self.0.saturating_sub_unsigned(span.0))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> Millis {
        let span = self.0.saturating_sub(earlier.0);
        Millis(u64::try_from(span).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// A span of time in whole milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// No time at all.
    pub const ZERO: Millis = Millis(0);

    /// So many whole seconds.
    #[must_use]
    pub const fn secs(secs: u64) -> Millis {
        Millis(secs.saturating_mul(1000))
    }
}

impl fmt::Display for Millis {
    /// In the notation of the options, as whole units: `10m`, `90s`, `1500ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            (86_400_000, "d"),
            (3_600_000, "h"),
            (60_000, "m"),
            (1_000, "s"),
        ];
        let whole = |(size, _): &(u64, _)| self.0 > 0 && self.0.is_multiple_of(*size);
        match units.into_iter().find(whole) {
            Some((size, unit)) => write!(f, "{}{unit}", self.0 / size),
            None => write!(f, "{}ms", self.0),
        }
    }
}

impl From<Duration> for Millis {
    /// Rounds up, so that a wait is never shorter than what was asked for.
    fn from(span: Duration) -> Millis {
        let whole = span.as_nanos().div_ceil(1_000_000);
        Millis(u64::try_from(whole).unwrap_or(u64::MAX))
    }
}

impl From<Millis> for Duration {
    fn from(span: Millis) -> Duration {
        Duration::from_millis(span.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Millis;
    use alloc::string::ToString;

    #[test]
    fn a_span_is_told_in_the_largest_unit_that_is_exact() {
        let told = |millis| Millis(millis).to_string();
        assert_eq!(told(259_200_000), "3d");
        assert_eq!(told(7_200_000), "2h");
        assert_eq!(told(600_000), "10m");
        assert_eq!(told(90_000), "90s");
        assert_eq!(told(1_500), "1500ms");
        assert_eq!(told(0), "0ms");
    }
}
