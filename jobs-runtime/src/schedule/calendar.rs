//! Which instants a schedule names in its zone, and what summer time does to it.
//!
//! An expression that recurs within the day (a `*` in its second, minute or hour) follows elapsed
//! time: it fires at each instant at which the clock shows one of its times, so in both passes of
//! an hour that happens twice, and never in an hour that does not happen. Any other names times
//! of the day: one that the clock jumps over fires once, when the clock has jumped, and one that
//! it shows twice fires the first time.

use super::zones::zone;
use crate::core::{Plan, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp as Instant};
use jobs_cron::{Civil, Cron, Schedule};

/// Changes of a zone's clock that a search looks past, in one call: some zones have four a year.
const CHANGE_LIMIT: usize = 1_000;
/// The lengths that a clock can jump over are below a day, and so are the times in them.
const TRY_LIMIT: usize = 100_000;

const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// A schedule in its zone.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    schedule: Schedule,
    zone: TimeZone,
}

impl Calendar {
    /// # Errors
    /// A sentence that says what is wrong with the schedule or the zone.
    pub(crate) fn new(plan: &Plan) -> Result<Self, String> {
        Ok(Calendar {
            schedule: Schedule::parse(&plan.schedule)?,
            zone: zone(&plan.zone)?,
        })
    }

    /// The first tick after an instant; `None` if there is none for a century.
    pub(crate) fn next(&self, after: Timestamp) -> Option<Timestamp> {
        if let Schedule::Every(millis) = self.schedule {
            let length = i64::try_from(millis).ok()?.max(1);
            return (after.0.div_euclid(length) + 1)
                .checked_mul(length)
                .map(Timestamp);
        }
        // Ticks are whole seconds: those after an instant are those after its second began.
        let after = Instant::from_second(after.0.div_euclid(1_000)).ok()?;
        let found = match &self.schedule {
            Schedule::Cron(cron) if cron.is_interval() => self.next_shown(cron, after),
            Schedule::Cron(cron) => self.next_named(cron, after),
            Schedule::Every(_) => None,
        };
        found.map(|at| Timestamp(at.as_millisecond()))
    }

    /// The ticks in a span: from `first` on, which counts, to before `end`.
    pub(crate) fn within(
        &self,
        first: Timestamp,
        end: Timestamp,
    ) -> impl Iterator<Item = Timestamp> + '_ {
        let before = Timestamp(first.0.saturating_sub(1));
        std::iter::successors(self.next(before), |at| self.next(*at))
            .take_while(move |at| *at < end)
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The next instant at which the clock shows one of the times: looked for between one change
    /// of the clock and the next, where it goes evenly.
    fn next_shown(&self, cron: &Cron, after: Instant) -> Option<Instant> {
        let mut from = after;
        let mut changes = self.zone.following(after);
        for _ in 0..CHANGE_LIMIT {
            let offset = self.zone.to_offset(from.checked_add(SECOND).ok()?);
            let change = changes.next().map(|change| change.timestamp());
            let shown = cron.after(civil(offset.to_datetime(from)));
            let at = shown.and_then(|shown| instant(shown, offset));
            match (at, change) {
                (Some(at), Some(change)) if at < change => return Some(at),
                // From the change on, the instant of it counting.
                (_, Some(change)) => from = change.checked_sub(SECOND).ok()?,
                (at, None) => return at,
            }
        }
        None
    }

    /// The next instant that one of the named times of the day is.
    fn next_named(&self, cron: &Cron, after: Instant) -> Option<Instant> {
        let mut named = civil(self.zone.to_datetime(after));
        for _ in 0..TRY_LIMIT {
            named = cron.after(named)?;
            let at = self.instant_of(named)?;
            // Times that were jumped over, or are shown a second time, were ticks before.
            if at > after {
                return Some(at);
            }
        }
        None
    }

    /// The instant that a time of the day names.
    fn instant_of(&self, named: Civil) -> Option<Instant> {
        let ambiguous = self.zone.to_ambiguous_timestamp(datetime(named)?);
        match ambiguous.offset() {
            AmbiguousOffset::Unambiguous { offset } => instant(named, offset),
            // The first time that it is shown. Where a zone goes over to a new rule, the change that
            // this rule would have had that day may be given too, though it never came.
            AmbiguousOffset::Fold { before, after } => self
                .shown(named, before)
                .or_else(|| self.shown(named, after))
                .or_else(|| instant(named, before)),
            AmbiguousOffset::Gap { before, after } => {
                let shown = self.shown(named, before);
                if let Some(at) = shown.or_else(|| self.shown(named, after)) {
                    return Some(at);
                }
                // By the clock as it went before, the time is past the change; the last change up
                // to there is the one that jumped over it.
                let past = instant(named, before)?.checked_add(SECOND).ok()?;
                let change = self.zone.preceding(past).next()?;
                Some(change.timestamp())
            }
        }
    }

    /// The instant of a time of the day at this offset, if the clock shows it then.
    fn shown(&self, named: Civil, offset: Offset) -> Option<Instant> {
        let at = instant(named, offset)?;
        (self.zone.to_offset(at) == offset).then_some(at)
    }
}

fn civil(at: DateTime) -> Civil {
    let part = |part: i8| u8::try_from(part).unwrap_or(0);
    Civil {
        year: i32::from(at.year()),
        month: part(at.month()),
        day: part(at.day()),
        hour: part(at.hour()),
        minute: part(at.minute()),
        second: part(at.second()),
    }
}

fn datetime(at: Civil) -> Option<DateTime> {
    let part = |part: u8| i8::try_from(part).ok();
    DateTime::new(
        i16::try_from(at.year).ok()?,
        part(at.month)?,
        part(at.day)?,
        part(at.hour)?,
        part(at.minute)?,
        part(at.second)?,
        0,
    )
    .ok()
}

fn instant(at: Civil, offset: Offset) -> Option<Instant> {
    offset.to_timestamp(datetime(at)?).ok()
}
