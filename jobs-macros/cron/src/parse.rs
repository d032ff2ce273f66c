//! Reads a schedule: a cron expression of five or six fields, a nickname, or `every 15m`.

use crate::cron::Cron;
use crate::field::{DAY, Field, HOUR, MINUTE, MONTH, SECOND, Unit, WEEKDAY, read};
use crate::impossible;
use crate::words::{list, nearest, quoted};

/// The longest expression, in bytes: more than any that a person reads.
pub const SCHEDULE_LIMIT_BYTES: usize = 256;
/// The shortest interval of `every`, in milliseconds.
pub const EVERY_MIN_MILLIS: u64 = 1_000;
/// The longest interval of `every`, in milliseconds: a year.
pub const EVERY_MAX_MILLIS: u64 = 366 * 86_400_000;

/// What begins the text of an interval.
const EVERY: &str = "every ";

const NICKNAMES: [(&str, &str); 5] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
];

/// When something fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// At readings of the clock in a zone.
    Cron(Cron),
    /// At each instant that is so many milliseconds times a whole number after the Unix epoch.
    Every(u64),
}

impl Schedule {
    /// Reads `0 3 * * *` (minute, hour, day of the month, month, day of the week), the same with
    /// seconds in front, `@daily` and its like, and `every 15m`.
    ///
    /// # Errors
    /// A sentence: what is wrong in which field, and what to write instead.
    ///
    /// ```
    /// use jobs_cron::Schedule;
    ///
    /// assert!(Schedule::parse("*/15 9-17 * * mon-fri").is_ok());
    /// let text = Schedule::parse("0 24 * * *").unwrap_err();
    /// assert!(text.ends_with("write `0` for midnight"));
    /// ```
    pub fn parse(text: &str) -> Result<Schedule, String> {
        if text.len() > SCHEDULE_LIMIT_BYTES {
            return Err(format!(
                "a schedule of {} bytes is too long, and {SCHEDULE_LIMIT_BYTES} is the most; say it with ranges and steps",
                text.len()
            ));
        }
        let text = text.trim();
        if let Some(length) = text.strip_prefix(EVERY) {
            return read_every(length.trim()).map(Schedule::Every);
        }
        if text.starts_with('@') {
            return nickname(text).and_then(Schedule::parse);
        }
        let cron = read_fields(&text.split_whitespace().collect::<Vec<_>>())?;
        match impossible::refuse(&cron) {
            Some(words) => Err(words),
            None => Ok(Schedule::Cron(cron)),
        }
    }

    /// Whether an interval can be kept: from a second to a year.
    ///
    /// # Errors
    /// A sentence that says which interval is the nearest.
    pub fn check_every(millis: u64) -> Result<u64, String> {
        match millis {
            ..EVERY_MIN_MILLIS => Err("an interval is a second at least; write \"1s\"".to_owned()),
            EVERY_MIN_MILLIS..=EVERY_MAX_MILLIS => Ok(millis),
            _ => Err(
                "an interval is a year at most; write \"366d\", or a date with `schedule`"
                    .to_owned(),
            ),
        }
    }
}

/// `15m`, in milliseconds.
fn read_every(length: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 5] = [
        ("ms", 1),
        ("s", 1_000),
        ("m", 60_000),
        ("h", 3_600_000),
        ("d", 86_400_000),
    ];
    let digits = length.trim_start_matches(|c: char| c.is_ascii_digit());
    let (number, unit) = length.split_at(length.len() - digits.len());
    let size = UNITS.iter().find(|(name, _)| *name == unit);
    let millis = match (number.parse::<u64>(), size) {
        (Ok(number), Some((_, size))) => number.saturating_mul(*size),
        _ => {
            return Err(format!(
                "`{}` is no interval; write a number and a unit, as in `every 15m`",
                quoted(length)
            ));
        }
    };
    Schedule::check_every(millis)
}

fn nickname(text: &str) -> Result<&'static str, String> {
    let found = NICKNAMES.iter().find(|(name, _)| *name == text);
    if let Some((_, fields)) = found {
        return Ok(fields);
    }
    let names = NICKNAMES.iter().map(|(name, _)| *name);
    Err(match nearest(text, names.clone()) {
        Some(near) => format!("`{}` is not known; did you mean `{near}`?", quoted(text)),
        None => {
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            format!(
                "`{}` is not known; known are {}",
                quoted(text),
                list(&names, "and")
            )
        }
    })
}

fn read_fields(fields: &[&str]) -> Result<Cron, String> {
    let (seconds, rest) = match fields {
        [_, _, _, _, _] => (None, fields),
        [second, rest @ ..] if rest.len() == 5 => (Some(*second), rest),
        _ => return Err(wrong_number(fields)),
    };
    let before = usize::from(seconds.is_some());
    let at = |place: usize, unit: &Unit| named(rest[place], unit, place + before + 1);
    Ok(Cron {
        seconds: named(seconds.unwrap_or("0"), &SECOND, 1)?,
        minutes: at(0, &MINUTE)?,
        hours: at(1, &HOUR)?,
        days: at(2, &DAY)?,
        months: at(3, &MONTH)?,
        weekdays: at(4, &WEEKDAY)?,
    })
}

/// A field, whose error says which one it is.
fn named(text: &str, unit: &Unit, place: usize) -> Result<Field, String> {
    read(text, unit).map_err(|words| format!("{} (field {place}): {words}", unit.name))
}

fn wrong_number(fields: &[&str]) -> String {
    const ORDER: &str = "minute, hour, day of the month, month, day of the week";
    match fields.len() {
        0 => format!(
            "a schedule has five fields ({ORDER}); write \"0 3 * * *\" for three in the morning"
        ),
        count @ 1..5 => {
            let all: Vec<&str> = fields.iter().copied().chain(["*"; 5]).take(5).collect();
            format!(
                "a schedule has five fields ({ORDER}), and this one has {count}; did you mean \"{}\"?",
                quoted(&all.join(" "))
            )
        }
        7 => "a schedule has no field for the year; leave out the seventh".to_owned(),
        count => format!(
            "a schedule has five fields ({ORDER}), or six with the second in front, and this one has {count}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Civil;

    fn refused(text: &str) -> String {
        Schedule::parse(text).unwrap_err()
    }

    /// The next three times after the beginning of 2026.
    fn times(text: &str) -> Vec<String> {
        let Ok(Schedule::Cron(cron)) = Schedule::parse(text) else {
            panic!("{text} is refused");
        };
        let mut at = Civil {
            year: 2026,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
        };
        let mut times = Vec::new();
        for _ in 0..3 {
            at = cron.after(at).unwrap();
            assert!(cron.fits(at));
            times.push(format!(
                "{}-{:02}-{:02} {:02}:{:02}:{:02}",
                at.year, at.month, at.day, at.hour, at.minute, at.second
            ));
        }
        times
    }

    #[test]
    fn five_fields_fire_on_the_full_minute_and_six_on_the_second() {
        assert_eq!(
            times("30 2 * * *"),
            [
                "2026-01-01 02:30:00",
                "2026-01-02 02:30:00",
                "2026-01-03 02:30:00"
            ]
        );
        assert_eq!(
            times("*/20 * * * * *"),
            [
                "2026-01-01 00:00:20",
                "2026-01-01 00:00:40",
                "2026-01-01 00:01:00"
            ]
        );
    }

    #[test]
    fn a_day_of_the_month_and_one_of_the_week_are_either_enough() {
        assert_eq!(
            times("0 0 13 * fri"),
            [
                "2026-01-02 00:00:00",
                "2026-01-09 00:00:00",
                "2026-01-13 00:00:00"
            ]
        );
    }

    #[test]
    fn a_star_with_a_step_says_both() {
        // The first, third, .. day of a month, if it is a Monday.
        assert_eq!(
            times("0 0 */2 * mon"),
            [
                "2026-01-05 00:00:00",
                "2026-01-19 00:00:00",
                "2026-02-09 00:00:00"
            ]
        );
    }

    #[test]
    fn nicknames_are_fields() {
        assert_eq!(Schedule::parse("@daily"), Schedule::parse("0 0 * * *"));
        assert_eq!(
            refused("@dayly"),
            "`@dayly` is not known; did you mean `@daily`?"
        );
    }

    #[test]
    fn the_leap_day_is_found() {
        assert_eq!(
            times("0 0 29 2 *"),
            [
                "2028-02-29 00:00:00",
                "2032-02-29 00:00:00",
                "2036-02-29 00:00:00"
            ]
        );
        assert_eq!(times("0 0 29 2 */7")[0], "2032-02-29 00:00:00");
    }

    #[test]
    fn a_date_that_no_year_has_is_refused() {
        assert_eq!(
            refused("0 0 30 2 *"),
            "this would never fire: February never has a day 30; the last day that can be is `29`"
        );
        assert_eq!(
            refused("0 0 31 4,6,9,11 *"),
            "this would never fire: April, June, September and November never have a day 31; the last day that can be is `30`"
        );
        assert!(Schedule::parse("0 0 30 2 mon").is_ok());
        assert!(Schedule::parse("0 0 28,30 2 *").is_ok());
    }

    #[test]
    fn what_is_wrong_names_its_field() {
        assert_eq!(
            refused("0 24 * * *"),
            "hour (field 2): `24` is not between 0 and 23; write `0` for midnight"
        );
        assert_eq!(
            refused("0 0 24 * * *"),
            "hour (field 3): `24` is not between 0 and 23; write `0` for midnight"
        );
        assert!(refused("0 3 * *").ends_with("did you mean \"0 3 * * *\"?"));
        assert!(refused("").contains("five fields"));
        assert!(refused("0 0 1 1 * * 2027").contains("no field for the year"));
    }

    #[test]
    fn an_interval_is_read_and_bounded() {
        assert_eq!(Schedule::parse("every 15m"), Ok(Schedule::Every(900_000)));
        assert!(refused("every 10ms").contains("a second at least"));
        assert!(refused("every 99999999999999999999d").contains("no interval"));
        assert!(refused("every 400d").contains("a year at most"));
        assert!(refused("every fortnight").contains("no interval"));
    }

    #[test]
    fn a_huge_text_is_refused_for_its_length_alone() {
        let text = refused(&"1,".repeat(1 << 19));
        assert!(text.len() < 200, "{text}");
    }

    #[test]
    fn no_text_makes_the_parser_panic() {
        // A small fuzz: every text of four signs from those that mean something.
        let signs = ["*", "/", "-", ",", "0", "9", " ", "m", "@", "é"];
        for at in 0..signs.len().pow(4) {
            let digits = [at % 10, at / 10 % 10, at / 100 % 10, at / 1000];
            let field: String = digits.iter().map(|digit| signs[*digit]).collect();
            let _ = Schedule::parse(&format!("{field} * * * *"));
            let _ = Schedule::parse(&field);
        }
    }
}
