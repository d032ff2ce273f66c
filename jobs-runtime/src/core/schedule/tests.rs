//! Timetables over a schedule of a tick each minute.

use super::*;
use crate::core::Payload;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec;

const MINUTE: i64 = 60_000;

/// One tick each minute.
fn minutes(after: Timestamp) -> Option<Timestamp> {
    Some(Timestamp((after.0.div_euclid(MINUTE) + 1) * MINUTE))
}

fn at(minute: i64) -> Timestamp {
    Timestamp(minute * MINUTE)
}

fn table(missed: Missed, overlap: Overlap) -> Timetable {
    let plan = Plan {
        schedule: "* * * * *".to_string(),
        zone: "UTC".to_string(),
        missed,
        overlap,
    };
    Timetable::new(plan, Timestamp(1), &minutes)
}

fn job(tick: Timestamp) -> JobId {
    JobId::new(tick, 0)
}

fn fire(table: &Timetable, now: Timestamp, is_busy: bool) -> (Vec<i64>, Timetable) {
    let (make, after) = table.fire(now, is_busy, &minutes, job);
    (make.iter().map(|tick| tick.at.0 / MINUTE).collect(), after)
}

#[test]
fn a_tick_is_made_once_however_early_or_late_one_looks() {
    let table = table(Missed::Last, Overlap::Run);
    assert_eq!(fire(&table, Timestamp(MINUTE - 20), false).0, [0_i64; 0]);
    let (made, after) = fire(&table, Timestamp(MINUTE + 20), false);
    assert_eq!(made, [1]);
    // A timer that fired early, and a clock that stepped back.
    assert_eq!(fire(&after, Timestamp(MINUTE - 30), false).0, [0_i64; 0]);
    assert_eq!(fire(&after, Timestamp(2 * MINUTE - 1), false).0, [0_i64; 0]);
    assert_eq!(after.next, Some(at(2)));
}

#[test]
fn each_tick_knows_the_one_before() {
    let table = table(Missed::All, Overlap::Run);
    let (make, after) = table.fire(at(3), false, &minutes, job);
    let previous: Vec<_> = make.iter().map(|tick| tick.previous).collect();
    assert_eq!(previous, [None, Some(at(1)), Some(at(2))]);
    let (make, _) = after.fire(at(4), false, &minutes, job);
    assert_eq!(make[0].previous, Some(at(3)));
}

#[test]
fn last_makes_the_newest_of_the_missed_and_notes_the_others() {
    let (made, after) = fire(&table(Missed::Last, Overlap::Run), at(60), false);
    assert_eq!(made, [60]);
    let passed = Skipped {
        first: at(1),
        last: at(59),
        why: Why::Missed,
    };
    assert_eq!(after.skipped, [passed]);
    assert_eq!(after.next, Some(at(61)));
}

#[test]
fn skip_makes_what_is_late_and_not_what_is_missed() {
    let table = table(Missed::Skip, Overlap::Run);
    let late = Timestamp(at(5).0 + 59_000);
    assert_eq!(fire(&table, late, false).0, [5]);
    let hourly = |after: Timestamp| {
        Some(Timestamp(
            (after.0.div_euclid(60 * MINUTE) + 1) * 60 * MINUTE,
        ))
    };
    let sparse = Timetable::new(table.plan.clone(), Timestamp(1), &hourly);
    let (make, after) = sparse.fire(at(62), false, &hourly, job);
    assert!(make.is_empty());
    assert_eq!(after.next, Some(at(120)));
    assert_eq!(after.skipped[0].why, Why::Missed);
}

#[test]
fn all_makes_each_in_writes_of_a_bounded_size() {
    let mut table = table(Missed::All, Overlap::Run);
    let mut all = Vec::new();
    loop {
        let (made, after) = fire(&table, at(250), false);
        if made.is_empty() {
            break;
        }
        assert!(made.len() <= TICK_LIMIT_BATCH);
        all.extend(made);
        table = after;
    }
    assert_eq!(all, (1..=250).collect::<Vec<_>>());
    assert!(table.skipped.is_empty());
}

#[test]
fn all_makes_no_more_than_the_last_thousand() {
    let year = 366 * 24 * 60;
    let mut table = table(Missed::All, Overlap::Run);
    let mut all = Vec::new();
    loop {
        let (made, after) = fire(&table, at(year), false);
        if made.is_empty() {
            break;
        }
        all.extend(made);
        table = after;
    }
    assert_eq!(all.len(), MISSED_LIMIT_TICKS);
    assert_eq!(all.last(), Some(&year));
    assert_eq!(table.skipped[0].last, at(year - 1_000));
}

#[test]
fn a_tick_that_meets_the_one_before_is_passed_over_and_noted() {
    let table = table(Missed::Last, Overlap::Skip);
    let (made, table) = fire(&table, at(1), false);
    assert_eq!(made, [1]);
    let (made, table) = fire(&table, at(2), true);
    assert_eq!(made, [0_i64; 0]);
    let (made, table) = fire(&table, at(3), true);
    assert_eq!(made, [0_i64; 0]);
    let passed = Skipped {
        first: at(2),
        last: at(3),
        why: Why::Overlap,
    };
    assert_eq!(table.skipped, [passed]);
    assert_eq!(fire(&table, at(4), false).0, [4]);
}

#[test]
fn catching_up_never_makes_two_that_may_not_overlap() {
    let table = table(Missed::All, Overlap::Skip);
    assert_eq!(fire(&table, at(9), false).0, [9]);
}

#[test]
fn what_was_passed_over_is_kept_within_a_limit() {
    let mut table = table(Missed::Last, Overlap::Run);
    for minute in (10..).step_by(10).take(100) {
        table = fire(&table, at(minute), false).1;
    }
    assert_eq!(table.skipped.len(), SKIPPED_LIMIT);
    assert_eq!(
        table.skipped.last().map(|skipped| skipped.last),
        Some(at(999))
    );
}

#[test]
fn another_plan_waits_until_the_one_in_place_has_stood_for_a_while() {
    let table = table(Missed::Last, Overlap::Run);
    let other = Plan {
        schedule: "*/5 * * * *".to_string(),
        ..table.plan.clone()
    };
    assert!(!table.is_to_replan(&table.plan.clone(), at(1_000)));
    assert!(!table.is_to_replan(&other, at(9)));
    let now = at(11);
    assert!(table.is_to_replan(&other, now));
    let changed = table.replanned(other, now, &minutes);
    assert_eq!(changed.next, Some(at(12)));
    // The other version of the program does not take it back at once.
    assert!(!changed.is_to_replan(&table.plan, at(13)));
}

#[test]
fn what_falls_due_in_a_pause_is_missed_when_it_ends() {
    let after_a_pause = |missed| {
        let paused = table(missed, Overlap::Run).paused();
        assert!(!paused.is_due(at(5)));
        fire(&paused.resumed(), Timestamp(5 * MINUTE + 30_000), false)
    };
    assert_eq!(after_a_pause(Missed::All).0, [1, 2, 3, 4, 5]);
    let (made, table) = after_a_pause(Missed::Last);
    assert_eq!(made, [5]);
    assert_eq!(table.skipped.len(), 1);
    let paused = self::table(Missed::Skip, Overlap::Run).paused();
    let (made, after) = fire(&paused.resumed(), at(5).after(Millis(61_000)), false);
    // The tick of this very minute is not a minute late.
    assert_eq!((made, after.next), (vec![6], Some(at(7))));
}

#[test]
fn a_clock_that_went_back_makes_no_tick_again() {
    let (_, after) = fire(&table(Missed::Last, Overlap::Run), at(100), false);
    let resumed = after.paused().resumed();
    assert_eq!(fire(&resumed, at(50), false).0, [0_i64; 0]);
    let other = Plan {
        schedule: "*/5 * * * *".to_string(),
        ..after.plan.clone()
    };
    assert_eq!(after.replanned(other, at(50), &minutes).next, Some(at(101)));
}

fn template(queue: &str) -> Template {
    Template {
        name: "report".to_string(),
        input: Payload::json(*b"7"),
        queue: Some(queue.to_string()),
        tenant: None,
        priority: None,
        attempts: None,
        expires: None,
        labels: BTreeMap::new(),
    }
}

#[test]
fn another_job_under_the_same_plan_leaves_what_is_due() {
    let old = table(Missed::All, Overlap::Run);
    let set = old.set(old.plan.clone(), template("slow"), at(3), &minutes);
    assert_eq!(fire(&set, at(3), false).0, [1, 2, 3]);
}

#[test]
fn another_plan_begins_when_it_is_set_and_a_pause_outlasts_it() {
    let (_, old) = fire(&table(Missed::All, Overlap::Run), at(2), false);
    let other = Plan {
        schedule: "*/5 * * * *".to_string(),
        ..old.plan.clone()
    };
    let set = old.paused().set(other, template("slow"), at(9), &minutes);
    assert_eq!(
        (set.next, set.last, set.paused),
        (Some(at(10)), old.last, true)
    );
}

#[test]
fn a_schedule_without_another_tick_is_quiet() {
    let once = |after: Timestamp| (after < at(5)).then(|| at(5));
    let plan = table(Missed::Last, Overlap::Run).plan;
    let table = Timetable::new(plan, at(1), &once);
    let (make, after) = table.fire(at(9), false, &once, job);
    assert_eq!(make.len(), 1);
    assert_eq!(after.next, None);
    assert!(!after.is_due(at(1_000)));
}
