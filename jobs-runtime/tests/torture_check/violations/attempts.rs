//! I6, I7: what costs an attempt, and what may be taken when.

use super::*;

#[test]
fn a_rest_that_costs_an_attempt_is_found() {
    let mut story = begun();
    story.settle(1, 1, 1, PARK).pass(1);
    let lease = story.lease_of(1, 2, 2);
    story.lease(1, lease).settle(1, 2, 1, ACK).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I6, "ended by Suspend");
}

#[test]
fn a_lost_lease_that_costs_nothing_is_found() {
    let mut story = begun();
    story.pass(2 * LEASE.0);
    let lease = story.lease_of(1, 2, 1);
    story.lease(1, lease).settle(1, 2, 1, ACK).quiet();
    story.dump(Dumped {
        epoch: 2,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I6, "was lost");
}

#[test]
fn a_job_that_is_stored_on_another_attempt_is_found() {
    let mut story = finished();
    story.dump(Dumped {
        attempt: 2,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I6, "on attempt 2");
}

#[test]
fn a_job_that_is_taken_early_is_found() {
    let mut story = Story::default();
    story
        .enqueue_as(EnqueueCall {
            delay: Some(Millis(500)),
            ..enqueue_of(1)
        })
        .pass(499);
    let lease = story.lease_of(1, 1, 1);
    story.lease(1, lease).settle(1, 1, 1, ACK).quiet();
    story.dump(Story::dumped(1, State::Done));
    story.breaks(Invariant::I7, "was due at");
}

#[test]
fn a_retry_that_is_taken_early_is_found() {
    let mut story = begun();
    story
        .settle(1, 1, 1, Settled::Retry { delay: Millis(500) })
        .pass(499);
    let lease = story.lease_of(1, 2, 2);
    story.lease(1, lease).settle(1, 2, 1, ACK).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I7, "was to be taken again at");
}

#[test]
fn a_sleep_that_is_over_early_is_found() {
    let mut story = begun();
    let wake_at = Some(story.now().after(Millis(10)));
    let slept = Recorded {
        kind: RecordKind::Sleep,
        wake_at,
        ..done("rest", 0)
    };
    story
        .record(1, 1, 1, slept.clone())
        .settle(1, 1, 2, ACK)
        .quiet();
    story.dump(Dumped {
        journal: vec![slept],
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I7, "the sleep \"rest\"");
}
