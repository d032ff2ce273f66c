//! Calendars: the rule of summer time on the days that are told of everywhere. All zones for
//! twenty years are in `zones`, many schedulers in `fleet`, schedules
//! that were made at run time in `stored`.

mod fleet;
mod stored;
mod zones;

use super::calendar::Calendar;
use crate::core::{Missed, Overlap, Plan, Timestamp};

fn calendar(schedule: &str, zone: &str) -> Calendar {
    let plan = Plan {
        schedule: schedule.into(),
        zone: zone.into(),
        missed: Missed::Last,
        overlap: Overlap::Run,
    };
    Calendar::new(&plan).unwrap()
}

fn instant(text: &str) -> Timestamp {
    Timestamp(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

/// The ticks of a span, as UTC shows them.
fn ticks(schedule: &str, zone: &str, from: &str, until: &str) -> Vec<String> {
    calendar(schedule, zone)
        .within(instant(from), instant(until))
        .map(|at| jiff::Timestamp::from_millisecond(at.0).unwrap().to_string())
        .collect()
}

#[test]
fn a_change_that_a_new_rule_would_have_had_is_none() {
    // Greenland stayed at two hours behind through 2023, and took up the rule of Europe in October
    // on the day on which that rule changes the clock: it had nothing to put back.
    assert_eq!(
        ticks(
            "59 23 * * *",
            "America/Nuuk",
            "2023-10-28T00:00:00Z",
            "2023-10-31T00:00:00Z"
        ),
        [
            "2023-10-28T01:59:00Z",
            "2023-10-29T01:59:00Z",
            "2023-10-30T01:59:00Z"
        ]
    );
}

#[test]
fn a_time_that_the_clock_jumps_over_fires_when_it_has_jumped() {
    // Paris goes from two to three at one o'clock UTC.
    for schedule in ["30 2 * * *", "0 2 * * *", "15,30 2 * * *"] {
        assert_eq!(
            ticks(
                schedule,
                "Europe/Paris",
                "2026-03-28T12:00:00Z",
                "2026-03-29T12:00:00Z"
            ),
            ["2026-03-29T01:00:00Z"],
            "{schedule}"
        );
    }
    // What is due at three anyway fires once.
    assert_eq!(
        ticks(
            "30 2,3 * * *",
            "Europe/Paris",
            "2026-03-28T12:00:00Z",
            "2026-03-29T12:00:00Z"
        ),
        ["2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"]
    );
}

#[test]
fn a_time_that_the_clock_shows_twice_fires_the_first_time() {
    assert_eq!(
        ticks(
            "30 2 * * *",
            "Europe/Paris",
            "2026-10-24T12:00:00Z",
            "2026-10-26T12:00:00Z"
        ),
        ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    );
}

#[test]
fn an_interval_follows_elapsed_time() {
    let spring = ticks(
        "*/15 * * * *",
        "Europe/Paris",
        "2026-03-29T00:00:00Z",
        "2026-03-29T03:00:00Z",
    );
    let autumn = ticks(
        "*/15 * * * *",
        "Europe/Paris",
        "2026-10-25T00:00:00Z",
        "2026-10-25T03:00:00Z",
    );
    assert_eq!((spring.len(), autumn.len()), (12, 12));
    assert_eq!(
        ticks(
            "0 * * * *",
            "Australia/Lord_Howe",
            "2026-04-04T13:30:00Z",
            "2026-04-04T16:31:00Z"
        ),
        [
            "2026-04-04T14:00:00Z",
            "2026-04-04T15:30:00Z",
            "2026-04-04T16:30:00Z"
        ],
        "the clock goes back by half an hour"
    );
}

#[test]
fn every_counts_from_the_epoch_in_each_zone() {
    assert_eq!(
        ticks(
            "every 45m",
            "UTC",
            "1970-01-01T00:00:00Z",
            "1970-01-01T02:00:00Z"
        ),
        [
            "1970-01-01T00:00:00Z",
            "1970-01-01T00:45:00Z",
            "1970-01-01T01:30:00Z"
        ]
    );
}

#[test]
fn a_look_between_two_seconds_finds_the_tick_after_it() {
    let minutes = calendar("* * * * *", "UTC");
    assert_eq!(minutes.next(Timestamp(59_999)), Some(Timestamp(60_000)));
    assert_eq!(minutes.next(Timestamp(60_000)), Some(Timestamp(120_000)));
    assert_eq!(minutes.next(Timestamp(60_001)), Some(Timestamp(120_000)));
    assert_eq!(minutes.next(Timestamp(-1)), Some(Timestamp(0)));
}

#[test]
fn ticks_follow_each_other_through_a_change_of_the_clock() {
    for schedule in [
        "* * * * *",
        "*/7 1-3 * * *",
        "30 2 * * *",
        "0-59 2 * * *",
        "*/30 * * * * *",
    ] {
        for zone in [
            "Europe/Paris",
            "America/New_York",
            "Australia/Lord_Howe",
            "Africa/Cairo",
        ] {
            let calendar = calendar(schedule, zone);
            let mut last = instant("2026-03-28T20:00:00Z");
            for at in calendar
                .within(last, instant("2026-03-29T06:00:00Z"))
                .step_by(7)
            {
                assert!(at >= last, "{schedule} in {zone}");
                // Asked from anywhere before it, the answer is the same.
                assert_eq!(
                    calendar.next(Timestamp(at.0 - 1)),
                    Some(at),
                    "{schedule} in {zone}"
                );
                last = at;
            }
        }
    }
}

#[test]
fn the_zone_data_says_of_which_release_it_is() {
    assert!(
        super::zones::release().starts_with("20"),
        "{}",
        super::zones::release()
    );
}
