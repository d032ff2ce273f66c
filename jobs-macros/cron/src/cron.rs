//! A cron expression that was read, and the readings of the clock at which it fires.

use crate::civil::Civil;
use crate::field::Field;

/// How far ahead a date is looked for, in days. The rarest date that exists, a leap day on a
/// weekday given by a step, comes again within forty years.
const SEARCH_LIMIT_DAYS: u32 = 100 * 366;

/// A cron expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    pub(crate) seconds: Field,
    pub(crate) minutes: Field,
    pub(crate) hours: Field,
    pub(crate) days: Field,
    pub(crate) months: Field,
    pub(crate) weekdays: Field,
}

impl Cron {
    /// It recurs within the day: the second, the minute or the hour is written with a `*`. What
    /// happens where the clock is put forward or back depends on it.
    #[must_use]
    pub fn is_interval(&self) -> bool {
        self.seconds.is_star || self.minutes.is_star || self.hours.is_star
    }

    /// Whether the clock shows one of its times.
    #[must_use]
    pub fn fits(&self, at: Civil) -> bool {
        self.fits_date(at)
            && self.hours.has(at.hour)
            && self.minutes.has(at.minute)
            && self.seconds.has(at.second)
    }

    /// The first reading of the clock after `after` at which it fires. `None` if there is none
    /// for a century.
    #[must_use]
    pub fn after(&self, after: Civil) -> Option<Civil> {
        if self.fits_date(after)
            && let Some(time) = self.time_after(after.time())
        {
            return Some(after.at(time));
        }
        let mut day = after.at((0, 0, 0)).next_day();
        for _ in 0..SEARCH_LIMIT_DAYS {
            if !self.months.has(day.month) {
                day = day.next_month();
            } else if self.fits_date(day) {
                return Some(day.at(self.first_time()?));
            } else {
                day = day.next_day();
            }
        }
        None
    }

    /// Two fields name the day. If both say something, either is enough, as ever with cron.
    fn fits_date(&self, at: Civil) -> bool {
        let (day, weekday) = (self.days.has(at.day), self.weekdays.has(at.weekday()));
        let fits = match self.days.is_star || self.weekdays.is_star {
            true => day && weekday,
            false => day || weekday,
        };
        fits && self.months.has(at.month)
    }

    fn first_time(&self) -> Option<(u8, u8, u8)> {
        let hour = self.hours.from(0)?;
        Some((hour, self.minutes.from(0)?, self.seconds.from(0)?))
    }

    /// The first time of day after one.
    fn time_after(&self, (hour, minute, second): (u8, u8, u8)) -> Option<(u8, u8, u8)> {
        if self.hours.has(hour) {
            if self.minutes.has(minute)
                && let Some(second) = self.seconds.from(second + 1)
            {
                return Some((hour, minute, second));
            }
            if let Some(minute) = self.minutes.from(minute + 1) {
                return Some((hour, minute, self.seconds.from(0)?));
            }
        }
        let hour = self.hours.from(hour + 1)?;
        Some((hour, self.minutes.from(0)?, self.seconds.from(0)?))
    }
}
