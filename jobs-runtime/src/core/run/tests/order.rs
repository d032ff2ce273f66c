//! R1 and R2: in which order results reach the body, and what must be durable before that.

use super::*;

#[test]
fn after_an_await_outside_of_steps_what_is_recorded_goes_before_a_new_body() {
    let journal = [record("recorded", 0, done())];
    let mut lease = Lease::new(&journal);
    // The first poll ends at something that is no step.
    lease.go();
    lease.want("new", step()).want("recorded", step()).go();
    assert_eq!(lease.seen, ["recorded done", "start new"]);
}

#[test]
fn a_body_starts_after_a_poll_that_returned_pending() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).poll();
    assert!(lease.seen.is_empty());
    assert_eq!(lease.run.advance(NOW), Next::Poll);
    lease.poll();
    assert_eq!(lease.seen, ["start a"]);
    assert_eq!(lease.run.advance(NOW), Next::Wait { wake_at: None });
}

#[test]
fn finished_bodies_are_delivered_one_a_poll_in_order_of_finishing() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).want("b", step()).go();
    lease.finish("b");
    lease.fail("a");
    lease.poll();
    assert_eq!(lease.seen, ["start a", "start b"]);
    assert_eq!(lease.run.advance(NOW), Next::Poll);
    lease.poll();
    assert_eq!(lease.seen[2..], ["b done"]);
    lease.go();
    assert_eq!(lease.seen[3..], ["a failed"]);
    let commit = lease.run.take_commit().unwrap();
    let positions = commit.records.iter().map(|record| record.position);
    assert!(positions.eq([Some(Position(1)), Some(Position(0))]));
}

#[test]
fn a_replay_delivers_in_the_recorded_order_whatever_the_order_of_asking() {
    let journal = [record("a", 1, done()), record("b", 0, failed())];
    let mut lease = Lease::new(&journal);
    lease.want("a", step()).want("b", step());
    assert_eq!(lease.go(), Next::Foreign);
    assert_eq!(lease.seen, ["b failed", "a done"]);
    assert!(lease.run.take_commit().is_none());
}

#[test]
fn nothing_new_starts_before_everything_recorded_was_delivered() {
    let journal = [record("a", 0, done()), record("b", 1, done())];
    let mut lease = Lease::new(&journal);
    lease
        .want("new", step())
        .want("a", step())
        .want("b", step())
        .go();
    assert_eq!(lease.seen, ["a done", "b done", "start new"]);
}

#[test]
fn a_position_that_was_passed_over_is_delivered_before_anything_new_starts() {
    let journal = [record("late", 0, done()), record("a", 1, done())];
    let mut lease = Lease::new(&journal);
    lease.want("a", step());
    assert_eq!(lease.go(), Next::Foreign);
    lease.want("late", step()).want("new", step()).go();
    assert_eq!(lease.seen, ["a done", "late done", "start new"]);
}

#[test]
fn r2_a_body_waits_until_what_was_delivered_is_durable() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).want_after("a", "b", step()).go();
    lease.finish("a");
    assert_eq!(lease.go(), Next::Commit);
    assert_eq!(lease.seen, ["start a", "a done"]);
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(lease.go(), Next::Commit, "it is only on its way");
    lease.committed(&commit);
    lease.go();
    assert_eq!(lease.seen[2..], ["stored a", "start b"]);
}

#[test]
fn r2_a_run_does_not_park_with_a_body_held_at_the_barrier() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).want_after("a", "b", step());
    lease.want("nap", sleep()).go_durably();
    lease.finish("a");
    assert_eq!(lease.go(), Next::Commit);
}

#[test]
fn r2_careful_gives_a_result_to_the_body_only_when_it_is_durable() {
    let mut lease = Lease::careful(&[]);
    lease.want("a", step()).go();
    lease.finish("a");
    assert_eq!(lease.go(), Next::Commit);
    assert_eq!(lease.seen, ["start a"]);
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(lease.go(), Next::Commit);
    lease.committed(&commit);
    lease.go();
    assert_eq!(lease.seen[1..], ["stored a", "a done"]);
}

#[test]
fn an_overdue_sleep_fires_after_everything_recorded() {
    let nap = StepRecord {
        wake_at: Some(NOW),
        ..StepRecord::pending("nap", RecordKind::Sleep, NOW)
    };
    let mut lease = Lease::new(&[record("a", 0, done()), nap]);
    lease.want("nap", sleep()).want("a", step()).go();
    assert_eq!(lease.seen, ["a done", "nap done"]);
}

#[test]
fn a_long_sleep_parks_the_run_and_a_short_one_is_waited_out() {
    for (span, parks) in [(Millis(1_000), false), (Millis(1_001), true)] {
        let mut lease = Lease::new(&[]);
        let next = lease.want("nap", Ask::SleepFor(span)).go_durably();
        let wake_at = Some(NOW.after(span));
        let expected = match parks {
            true => Next::Park { wake_at },
            false => Next::Wait { wake_at },
        };
        assert_eq!(next, expected);
    }
}

#[test]
fn a_passed_deadline_asks_for_the_inbox_first() {
    let mut lease = Lease::new(&[]);
    let wait = Ask::Event {
        names: alloc::vec!["paid".into()],
        key: None,
        timeout: HOUR,
        since_step: false,
        required: false,
    };
    lease.want("paid", wait).go_durably();
    lease.now = NOW.after(HOUR);
    assert_eq!(lease.go(), Next::Refresh);
    lease.run.news(None, lease.now);
    lease.go();
    assert_eq!(lease.seen.last().unwrap(), "paid timed out");
}

#[test]
fn a_result_that_was_dropped_before_its_delivery_is_not_recorded() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    lease.finish("a");
    lease.drop_step("a");
    assert_eq!(lease.go(), Next::Foreign);
    assert!(lease.run.take_commit().is_none());
}
