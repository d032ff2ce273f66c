//! The rule of summer time, a second time: written straight from its words, as a walk over every
//! second of the clock around each change, and compared with the calendar. A slice of the zones,
//! unless `JOBS_ALL_ZONES` is set.

use super::calendar;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp as Instant};
use std::collections::BTreeSet;

/// Every so manyeth zone is compared when not all are.
const SLICE: usize = 25;
/// Zones whose changes are special, always compared: half an hour, at midnight, four a year, two
/// hours, and none.
const SPECIAL: [&str; 8] = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/New_York",
    "America/Santiago",
    "Antarctica/Troll",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Europe/Paris",
];

/// A schedule as its fields' numbers, and whether it recurs within the day.
struct Plain {
    text: &'static str,
    minutes: &'static [i8],
    hours: &'static [i8],
    is_interval: bool,
}

const QUARTERS: &[i8] = &[0, 15, 30, 45];
const ALL_HOURS: &[i8] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
];

const SCHEDULES: [Plain; 7] = [
    plain("30 2 * * *", &[30], &[2], false),
    plain("0 2,3 * * *", &[0], &[2, 3], false),
    plain("15,45 0,1 * * *", &[15, 45], &[0, 1], false),
    plain("0 0 * * *", &[0], &[0], false),
    plain("59 23 * * *", &[59], &[23], false),
    plain("*/15 * * * *", QUARTERS, ALL_HOURS, true),
    plain("*/15 1,2 * * *", QUARTERS, &[1, 2], true),
];

const fn plain(
    text: &'static str,
    minutes: &'static [i8],
    hours: &'static [i8],
    is_interval: bool,
) -> Plain {
    Plain {
        text,
        minutes,
        hours,
        is_interval,
    }
}

impl Plain {
    fn names(&self, at: jiff::civil::DateTime) -> bool {
        at.second() == 0 && self.minutes.contains(&at.minute()) && self.hours.contains(&at.hour())
    }

    /// The ticks of a span, minute by minute. All offsets from 2020 on are whole minutes.
    fn ticks(&self, zone: &TimeZone, from: Instant, until: Instant) -> Vec<Instant> {
        let minute = SignedDuration::from_mins(1);
        let mut ticks = Vec::new();
        let mut shown = BTreeSet::new();
        let mut before = zone.to_datetime(from.checked_sub(minute * 180).unwrap());
        let mut at = from.checked_sub(minute * 179).unwrap();
        while at < until {
            let now = zone.to_datetime(at);
            let mut fires = self.names(now);
            if !self.is_interval {
                // Only the first time that the clock shows it.
                fires = fires && !shown.contains(&now);
                // Or when the clock jumped over it.
                let mut skipped = before.checked_add(minute).unwrap();
                while skipped < now {
                    fires |= self.names(skipped) && !shown.contains(&skipped);
                    skipped = skipped.checked_add(minute).unwrap();
                }
            }
            if fires && at >= from {
                ticks.push(at);
            }
            shown.insert(now);
            before = now;
            at = at.checked_add(minute).unwrap();
        }
        ticks
    }
}

#[test]
fn every_zone_follows_the_rule_of_summer_time() {
    let all = std::env::var_os("JOBS_ALL_ZONES").is_some();
    let zones = TimeZoneDatabase::bundled();
    let names: Vec<String> = zones.available().map(|name| name.to_string()).collect();
    let slice = names.iter().step_by(if all { 1 } else { SLICE });
    let special = SPECIAL.iter().map(|name| (*name).to_owned());
    let compared: BTreeSet<String> = slice.cloned().chain(special).collect();
    assert!(compared.len() >= SPECIAL.len());
    let last: Instant = "2041-01-01T00:00:00Z".parse().unwrap();
    let step = if all { 1 } else { 7 };
    let (mut cases, mut wrong) = (0, Vec::new());
    for name in &compared {
        let zone = zones.get(name).unwrap();
        let first: Instant = "2020-01-01T00:00:00Z".parse().unwrap();
        let changes = zone.following(first).map(|change| change.timestamp());
        let changes = changes.take_while(|change| *change < last).step_by(step);
        // A day without a change, for each.
        for middle in changes.chain(["2030-06-15T11:17:00Z".parse().unwrap()]) {
            cases += compare(name, &zone, middle, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 10_000, "{cases} ticks were compared");
    println!("{cases} ticks in {} zones", compared.len());
}

/// The day before a change and the day after it.
fn compare(name: &str, zone: &TimeZone, middle: Instant, wrong: &mut Vec<String>) -> usize {
    let day = SignedDuration::from_hours(26);
    let (from, until) = (
        middle.checked_sub(day).unwrap(),
        middle.checked_add(day).unwrap(),
    );
    let mut cases = 0;
    for schedule in &SCHEDULES {
        let expected = schedule.ticks(zone, from, until);
        let millis = |at: Instant| crate::core::Timestamp(at.as_millisecond());
        let found: Vec<Instant> = calendar(schedule.text, name)
            .within(millis(from), millis(until))
            .map(|at| Instant::from_millisecond(at.0).unwrap())
            .collect();
        if found != expected {
            let text = schedule.text;
            wrong.push(format!(
                "\"{text}\" in {name} around {middle}: {found:?}, and not {expected:?}"
            ));
        }
        cases += found.len();
    }
    cases
}
