//! Lengths of time and instants that a body computes, from the types people have them in.

use crate::core::{Millis, Timestamp};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A length of time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a length of time",
    label = "expected a `Duration`",
    note = "write it in quotes, as in \"10m\", or compute a `std::time::Duration`"
)]
pub trait IntoMillis {
    /// The length in milliseconds, rounded up.
    fn into_millis(self) -> Millis;
}

/// See [`IntoMillis`].
pub fn millis(span: impl IntoMillis) -> Millis {
    span.into_millis()
}

impl IntoMillis for Duration {
    fn into_millis(self) -> Millis {
        self.into()
    }
}

impl IntoMillis for Millis {
    fn into_millis(self) -> Millis {
        self
    }
}

impl IntoMillis for jiff::SignedDuration {
    /// A length below zero has passed already.
    fn into_millis(self) -> Millis {
        Duration::try_from(self).unwrap_or_default().into()
    }
}

/// An instant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an instant",
    label = "expected a `Timestamp`",
    note = "give a `jiff::Timestamp`, a `jiff::Zoned` or a `std::time::SystemTime`"
)]
pub trait IntoTimestamp {
    /// The instant in milliseconds, rounded up, so that a sleep never ends early.
    fn into_timestamp(self) -> Timestamp;
}

impl IntoTimestamp for Timestamp {
    fn into_timestamp(self) -> Timestamp {
        self
    }
}

impl IntoTimestamp for jiff::Timestamp {
    fn into_timestamp(self) -> Timestamp {
        let millis = self.as_millisecond();
        let rest = self.as_nanosecond() - i128::from(millis) * 1_000_000;
        Timestamp(millis + i64::from(rest > 0))
    }
}

impl IntoTimestamp for &jiff::Zoned {
    fn into_timestamp(self) -> Timestamp {
        self.timestamp().into_timestamp()
    }
}

impl IntoTimestamp for jiff::Zoned {
    fn into_timestamp(self) -> Timestamp {
        self.timestamp().into_timestamp()
    }
}

impl IntoTimestamp for SystemTime {
    fn into_timestamp(self) -> Timestamp {
        match self.duration_since(UNIX_EPOCH) {
            Ok(since) => Timestamp(0).after(since.into()),
            Err(before) => {
                let millis = before.duration().as_millis();
                Timestamp(i64::try_from(millis).map_or(i64::MIN, |millis| -millis))
            }
        }
    }
}

/// The beginning or end of a span of a schedule: an instant, or a date or time that is read in the
/// schedule's own zone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an instant nor a date",
    label = "expected a `jiff::civil::Date`, a `jiff::civil::DateTime` or an instant",
    note = "a date or a time without a zone is read in the zone of the schedule"
)]
pub trait IntoTick {
    /// The instant; `None` if it is beyond the calendar.
    fn into_tick(self, zone: &jiff::tz::TimeZone) -> Option<Timestamp>;
}

impl<T: IntoTimestamp> IntoTick for T {
    fn into_tick(self, _zone: &jiff::tz::TimeZone) -> Option<Timestamp> {
        Some(self.into_timestamp())
    }
}

impl IntoTick for jiff::civil::DateTime {
    /// A time that is shown twice is the first of the two; one that the clock jumps over is the
    /// instant of the jump or just after.
    fn into_tick(self, zone: &jiff::tz::TimeZone) -> Option<Timestamp> {
        let at = zone.to_timestamp(self).ok()?;
        Some(at.into_timestamp())
    }
}

impl IntoTick for jiff::civil::Date {
    fn into_tick(self, zone: &jiff::tz::TimeZone) -> Option<Timestamp> {
        self.to_datetime(jiff::civil::Time::midnight())
            .into_tick(zone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_instants_are_rounded_up() {
        assert_eq!(millis(Duration::from_micros(1_500)), Millis(2));
        let at = UNIX_EPOCH + Duration::from_micros(1_500);
        assert_eq!(at.into_timestamp(), Timestamp(2));
        let at = jiff::Timestamp::from_microsecond(1_500).unwrap();
        assert_eq!(at.into_timestamp(), Timestamp(2));
        let before = jiff::Timestamp::from_microsecond(-1_500).unwrap();
        assert_eq!(before.into_timestamp(), Timestamp(-1));
    }

    #[test]
    fn a_length_below_zero_is_none() {
        assert_eq!(millis(jiff::SignedDuration::from_secs(-5)), Millis::ZERO);
    }
}
