//! R14: times and random bits that are the same on every replay.

use super::*;

/// What a body draws: before anything, after the first step, and once more.
fn draw(lease: &mut Lease) -> (Timestamp, Vec<u128>) {
    let first = lease.run.recorded_random();
    lease.want("a", step()).go_durably();
    if lease.run.is_busy() {
        lease.now = NOW.after(Millis(5));
        lease.finish("a");
        lease.go_durably();
    }
    let time = lease.run.recorded_now();
    let rest = [lease.run.recorded_random(), lease.run.recorded_random()];
    let mut all = alloc::vec![first];
    all.extend(rest);
    (time, all)
}

fn a_is_stored() -> [StepRecord; 1] {
    [StepRecord {
        completed_at: Some(NOW.after(Millis(5))),
        ..record("a", 0, done())
    }]
}

#[test]
fn random_bits_and_the_time_are_the_same_on_a_replay() {
    let live = draw(&mut Lease::new(&[]));
    assert_eq!(live.0, NOW.after(Millis(5)));
    let mut distinct = live.1.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 3, "each draw is another");
    assert_eq!(draw(&mut Lease::new(&a_is_stored())), live);
    assert_eq!(draw(&mut Lease::careful(&a_is_stored())), live);
    assert_eq!(draw(&mut Lease::careful(&[])), live);
}

#[test]
fn random_bits_are_the_same_after_a_failure_was_taken_back() {
    let live = draw(&mut Lease::new(&[]));
    let mut job = job(&a_is_stored());
    // The failure had position 1, which is not used again.
    job.head.next_position = Position(2);
    let replay = Replay {
        careful: false,
        removed: &[],
        park_after: Millis(0),
    };
    let mut lease = Lease::new(&[]);
    lease.run = Run::new(&job, a_is_stored().to_vec(), Nudge::default(), NOW, replay);
    assert_eq!(draw(&mut lease), live);
}

#[test]
fn careful_the_time_moves_only_when_the_body_gets_the_result() {
    let mut lease = Lease::careful(&[]);
    lease.want("a", step()).go();
    lease.now = NOW.after(Millis(5));
    lease.finish("a");
    assert_eq!(lease.go(), Next::Commit);
    assert_eq!(lease.run.recorded_now(), NOW);
}

#[test]
fn the_time_of_a_record_is_never_before_that_of_the_one_before() {
    let journal = [StepRecord {
        completed_at: Some(NOW.after(HOUR)),
        ..record("a", 0, done())
    }];
    let mut lease = Lease::new(&journal);
    lease.want("a", step()).want("b", step()).go();
    lease.finish("b");
    lease.go();
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(commit.records[0].completed_at, Some(NOW.after(HOUR)));
}
