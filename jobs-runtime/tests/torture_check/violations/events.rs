//! I5: an event and the wait for it meet, once and in time.

use super::*;

fn parked() -> Story {
    let mut story = begun();
    story
        .record(1, 1, 1, wait("paid?"))
        .settle(1, 1, 2, PARK)
        .pass(1);
    story
}

#[test]
fn a_run_that_sleeps_beside_its_event_is_found() {
    let mut story = parked();
    story.publish(7).pass(1).quiet();
    let journal = vec![wait("paid?")];
    story.dump(Dumped {
        journal,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I5, "still waits in \"paid?\"");
}

#[test]
fn an_event_that_came_before_the_wait_counts_too() {
    let mut story = Story::default();
    story.publish(7).enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story
        .lease(1, lease)
        .record(1, 1, 1, wait("paid?"))
        .settle(1, 1, 2, PARK)
        .quiet();
    let journal = vec![wait("paid?")];
    story.dump(Dumped {
        journal,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I5, "still waits in \"paid?\"");
}

fn served(step: &str, position: u32) -> Recorded {
    Recorded {
        position: Some(Position(position)),
        ended: Some(Ended::Done),
        hash: 3,
        event: Some(event(7)),
        ..wait(step)
    }
}

/// The run takes its event under a second lease, and ends.
fn woken(story: &mut Story) {
    let lease = Leased {
        journal: vec![wait("paid?")],
        ..story.lease_of(1, 2, 1)
    };
    story
        .lease(1, lease)
        .record(1, 2, 1, served("paid?", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    story.dump(Dumped {
        epoch: 2,
        journal: vec![served("paid?", 0)],
        ..Story::dumped(1, State::Done)
    });
}

#[test]
fn an_event_that_serves_one_run_twice_is_found() {
    let mut story = parked();
    story.publish(7).pass(1);
    let lease = Leased {
        journal: vec![wait("paid?")],
        ..story.lease_of(1, 2, 1)
    };
    story.lease(1, lease).record(1, 2, 1, served("paid?", 0));
    story
        .record(1, 2, 2, served("again?", 1))
        .settle(1, 2, 3, ACK)
        .quiet();
    let journal = vec![served("paid?", 0), served("again?", 1)];
    story.dump(Dumped {
        epoch: 2,
        journal,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I5, "served two waits");
}

#[test]
fn a_wait_that_gives_up_beside_its_event_is_found() {
    let mut story = parked();
    story.publish(7).pass(1);
    let lease = Leased {
        journal: vec![wait("paid?")],
        ..story.lease_of(1, 2, 1)
    };
    let given_up = Recorded {
        ended: Some(Ended::TimedOut),
        event: None,
        hash: 2,
        ..served("paid?", 0)
    };
    story
        .lease(1, lease)
        .record(1, 2, 1, given_up.clone())
        .settle(1, 2, 2, ACK)
        .quiet();
    let journal = vec![given_up];
    story.dump(Dumped {
        epoch: 2,
        journal,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I5, "timed out, and its event was there");
}

/// A run whose wait gives up beside an event that another run had taken, which had ended so.
fn given_up_after(settled: Settled) -> Story {
    let mut story = Story::default();
    story.publish(7).pass(1).enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story.lease(1, lease).record(1, 1, 1, served("paid?", 0));
    story.settle(1, 1, 2, settled).pass(1);
    given_up(story)
}

/// Job 2, whose wait gives up beside an event.
fn given_up(mut story: Story) -> Story {
    story.enqueue(2).pass(1);
    let lease = story.lease_of(2, 1, 1);
    story.lease(1, lease).record(2, 1, 1, wait("paid?"));
    story.settle(2, 1, 2, PARK).pass(1);
    let lease = Leased {
        journal: vec![wait("paid?")],
        ..story.lease_of(2, 2, 1)
    };
    let given_up = Recorded {
        ended: Some(Ended::TimedOut),
        event: None,
        hash: 2,
        ..served("paid?", 0)
    };
    story.lease(1, lease).record(2, 2, 1, given_up);
    story.settle(2, 2, 2, ACK);
    story
}

#[test]
fn what_a_run_has_taken_is_not_for_the_one_that_goes_on_from_it() {
    let alone = given_up_after(ACK);
    alone.breaks_among_others(Invariant::I5, "timed out, and its event was there");
    given_up_after(Settled::Continue { next: job(2) }).keeps(Invariant::I5);
}

#[test]
fn what_a_run_has_taken_is_not_for_another_branch_of_its_chain() {
    let mut story = Story::default();
    story.publish(7).pass(1).enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 1);
    let goes_on_as = |n| Settled::Continue { next: job(n) };
    story.lease(1, lease).settle(1, 1, 1, goes_on_as(3));
    let lease = story.pass(1).enqueue(3).pass(1).lease_of(3, 1, 1);
    story.lease(1, lease).record(3, 1, 1, served("paid?", 0));
    story.settle(3, 1, 2, ACK).pass(1);
    // Revived, it goes on a second time.
    let lease = story.change(1, Settled::Requeue).lease_of(1, 2, 1);
    story.lease(1, lease).settle(1, 2, 1, goes_on_as(2)).pass(1);
    given_up(story).keeps(Invariant::I5);
}

#[test]
fn a_wait_that_is_served_in_time_is_counted() {
    let mut story = parked();
    story.publish(7).pass(1);
    woken(&mut story);
    story.is_clean();
    assert_eq!(story.report().coverage.wakes_after_park, 1);
}

#[test]
fn a_run_that_is_woken_late_is_found() {
    let mut story = parked();
    story.publish(7).pass(60_000);
    woken(&mut story);
    let rules = Rules {
        wake_within: Some(Millis(1_000)),
        ..Rules::default()
    };
    story.breaks_by(&rules, Invariant::I5, "was woken 1m after its event");
}

/// A run whose event comes while this queue is paused, which is resumed half a second before the
/// run is taken.
fn woken_after_a_pause_of(queue: &str) -> Report {
    let set = |expected, value| {
        let key = format!("queue/{queue}");
        Call::Write {
            key,
            expected,
            value,
        }
    };
    let mut story = parked();
    story.call(9, set(0, Some(1)), Answer::Written { revision: 1 });
    story.publish(7).pass(59_500);
    story.call(9, set(1, None), Answer::Written { revision: 2 });
    story.pass(500);
    woken(&mut story);
    let rules = Rules {
        wake_within: Some(Millis(1_000)),
        ..Rules::default()
    };
    check(&story.entries, &rules)
}

#[test]
fn a_run_whose_queue_is_paused_is_not_woken_late() {
    let paused = woken_after_a_pause_of("default");
    assert!(paused.violations.is_empty(), "{}", told(&paused));
    let another = woken_after_a_pause_of("side");
    assert_eq!(another.violations.len(), 1, "{}", told(&another));
}

#[test]
fn a_run_that_is_not_woken_for_what_it_does_not_wait_for_yet_is_no_finding() {
    let mut story = Story::default();
    story.enqueue(1).publish(7).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story
        .lease(1, lease)
        .record(1, 1, 1, pending("nap", RecordKind::Sleep))
        .settle(1, 1, 2, PARK)
        .pass(60_000);
    let lease = Leased {
        journal: vec![pending("nap", RecordKind::Sleep)],
        ..story.lease_of(1, 2, 1)
    };
    let slept = Recorded {
        position: Some(Position(0)),
        ended: Some(Ended::Done),
        ..pending("nap", RecordKind::Sleep)
    };
    let served = Recorded {
        position: Some(Position(1)),
        ended: Some(Ended::Done),
        event: Some(event(7)),
        ..wait("paid?")
    };
    story
        .lease(1, lease)
        .record(1, 2, 1, slept.clone())
        .record(1, 2, 2, wait("paid?"))
        .record(1, 2, 3, served.clone())
        .settle(1, 2, 4, ACK)
        .quiet()
        .dump(Dumped {
            epoch: 2,
            journal: vec![slept, served],
            ..Story::dumped(1, State::Done)
        });
    let rules = Rules {
        wake_within: Some(Millis(1_000)),
        ..Rules::default()
    };
    let report = check(&story.entries, &rules);
    assert!(report.violations.is_empty(), "{}", told(&report));
}

#[test]
fn two_events_of_one_number_are_found() {
    let mut story = finished();
    story.dump(with_pay(State::Done)).publish(7);
    let call = match &story.entries[story.entries.len() - 2].what {
        What::Invoke {
            call: Call::Publish(call),
            ..
        } => call.clone(),
        other => panic!("{other:?}"),
    };
    let other = Call::Publish(Box::new(jobs_runtime::torture::history::PublishCall {
        event: event(8),
        ..*call
    }));
    story.call(9, other, Answer::Published { seq: 7, woken: 0 });
    story.breaks(Invariant::I5, "published as number 7");
}
