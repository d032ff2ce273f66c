//! Readings of a calendar and a clock on a wall, to the second. No zone, no instant.

/// A date and a time of day as a clock on a wall shows them, in the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Civil {
    /// The year.
    pub year: i32,
    /// From 1, January.
    pub month: u8,
    /// From 1.
    pub day: u8,
    /// From 0 to 23.
    pub hour: u8,
    /// From 0 to 59.
    pub minute: u8,
    /// From 0 to 59.
    pub second: u8,
}

impl Civil {
    /// The same day at another time.
    pub(crate) fn at(self, (hour, minute, second): (u8, u8, u8)) -> Civil {
        Civil {
            hour,
            minute,
            second,
            ..self
        }
    }

    pub(crate) fn time(self) -> (u8, u8, u8) {
        (self.hour, self.minute, self.second)
    }

    /// The day after, at the same time.
    pub(crate) fn next_day(self) -> Civil {
        if self.day < days_in_month(self.year, self.month) {
            let day = self.day + 1;
            return Civil { day, ..self };
        }
        self.next_month()
    }

    /// The first day of the month after, at the same time.
    pub(crate) fn next_month(self) -> Civil {
        let (year, month) = match self.month {
            12 => (self.year + 1, 1),
            month => (self.year, month + 1),
        };
        Civil {
            year,
            month,
            day: 1,
            ..self
        }
    }

    /// From 0, Sunday, to 6.
    pub(crate) fn weekday(self) -> u8 {
        // Years that begin in March: a leap day is the last of its year then.
        const BEFORE_MONTH: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let year = self.year - i32::from(self.month < 3);
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        let month = BEFORE_MONTH[usize::from(self.month - 1) % 12];
        u8::try_from((year + leap_days + month + i32::from(self.day)).rem_euclid(7)).unwrap_or(0)
    }
}

/// How many days each month has at most.
pub(crate) const LONGEST: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn days_in_month(year: i32, month: u8) -> u8 {
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 if !is_leap => 28,
        month => LONGEST[usize::from(month.saturating_sub(1)) % 12],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i32, month: u8, day: u8) -> Civil {
        Civil {
            year,
            month,
            day,
            hour: 0,
            minute: 0,
            second: 0,
        }
    }

    #[test]
    fn weekdays_are_those_of_the_calendar() {
        assert_eq!(day(1970, 1, 1).weekday(), 4);
        assert_eq!(day(2000, 2, 29).weekday(), 2);
        assert_eq!(day(2026, 11, 30).weekday(), 1);
    }

    #[test]
    fn days_follow_each_other_through_four_centuries() {
        let mut at = day(1900, 1, 1);
        let mut weekday = at.weekday();
        let mut count = 0;
        while at.year < 2300 {
            at = at.next_day();
            weekday = (weekday + 1) % 7;
            count += 1;
            assert_eq!(at.weekday(), weekday, "{at:?}");
        }
        assert_eq!(count, 146_097);
    }
}
