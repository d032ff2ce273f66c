//! One history for each way in which a promise can be broken, made by hand.

use super::story::{
    LEASE, Story, done, enqueue_of, event, job, life, pending, tick, token, told, wait,
};
use jobs_runtime::Timestamp;
use jobs_runtime::core::{Millis, OnConflict, Position, Priority, RecordKind, State};
use jobs_runtime::torture::check::{Coverage, Invariant, Limit, LimitOf, Report, Rules, check};
use jobs_runtime::torture::history::{
    Answer, Bounds, Call, CommitCall, Dumped, Ended, EnqueueCall, Leased, Recorded, Settled, What,
};

const ACK: Settled = Settled::Ack { output: 1 };
const PARK: Settled = Settled::Suspend { wake_at: None };
const RETRY: Settled = Settled::Retry { delay: Millis(0) };

/// A job that was enqueued and leased.
fn begun() -> Story {
    let mut story = Story::default();
    story.enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story.lease(1, lease);
    story
}

/// A whole job of one step.
fn finished() -> Story {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).record(1, 1, 1, done("pay", 0));
    story.settle(1, 1, 2, ACK).pass(1).quiet();
    story
}

fn with_pay(state: State) -> Dumped {
    Dumped {
        journal: vec![done("pay", 0)],
        ..Story::dumped(1, state)
    }
}

#[test]
fn a_run_without_a_fault_breaks_nothing() {
    finished().dump(with_pay(State::Done)).is_clean();
}

// I1

#[test]
fn an_acknowledged_job_that_is_gone_is_found() {
    finished().breaks(Invariant::I1, "is not in the store");
}

#[test]
fn a_pruned_job_is_not_missed() {
    let mut story = finished();
    let later = story.now().after(Millis(5));
    story.prune(Some(later)).is_clean();
}

#[test]
fn a_job_that_nobody_enqueued_is_found() {
    let mut story = finished();
    story.dump(with_pay(State::Done)).dump(Dumped {
        epoch: 0,
        ..Story::dumped(2, State::Done)
    });
    story.breaks(Invariant::I1, "nobody enqueued it");
}

#[test]
fn a_job_that_was_refused_and_is_there_is_found() {
    let mut story = Story::default();
    let call = Call::Enqueue(Box::new(enqueue_of(1)));
    let op = story.invoke(9, call);
    story.write(
        9,
        What::Fail {
            op,
            code: "X_DRIVER_UNAVAILABLE".into(),
        },
    );
    story.quiet().dump(Dumped {
        epoch: 0,
        ..Story::dumped(1, State::Pending)
    });
    story.breaks(Invariant::I1, "every enqueue of it was refused");
}

#[test]
fn a_job_whose_enqueue_is_open_may_be_there_or_not() {
    let mut story = Story::default();
    story.invoke(9, Call::Enqueue(Box::new(enqueue_of(1))));
    story.quiet().is_clean();
    story
        .dump(Dumped {
            epoch: 0,
            ..Story::dumped(1, State::Pending)
        })
        .is_clean();
}

#[test]
fn a_job_without_its_input_is_found() {
    let mut story = finished();
    story.dump(Dumped {
        input: 0,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I1, "another input than was enqueued");
}

#[test]
fn a_job_that_ends_twice_is_found() {
    let mut story = begun();
    story
        .settle(1, 1, 1, ACK)
        .settle(1, 1, 2, Settled::Fail)
        .quiet();
    story.dump(Story::dumped(1, State::Failed));
    story.breaks(Invariant::I1, "ended 2 times");
}

#[test]
fn an_acknowledged_end_that_is_undone_is_found() {
    let mut story = finished();
    story.dump(with_pay(State::Pending));
    story.breaks(Invariant::I1, "was acknowledged as done, and is pending");
}

// I2

#[test]
fn a_recorded_step_that_is_done_again_is_found() {
    let mut story = begun();
    story
        .effect(1, 1, "pay", 1)
        .record(1, 1, 1, done("pay", 0))
        .pass(1);
    story.settle(1, 1, 2, RETRY).pass(1);
    let lease = Leased {
        journal: vec![done("pay", 0)],
        ..story.lease_of(1, 2, 2)
    };
    story.lease(1, lease).effect(1, 1, "pay", 2);
    story.settle(1, 2, 1, ACK).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I2, "was recorded, and was done again");
}

#[test]
fn a_step_that_a_person_asked_for_again_may_be_done_again() {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).record(1, 1, 1, done("pay", 0));
    story.settle(1, 1, 2, ACK).pass(1);
    let requeue = CommitCall {
        lease: None,
        removed: vec!["pay".into()],
        settle: Some(Settled::Requeue),
        ..Story::commit_of(1, 0, 0)
    };
    story.commit(9, requeue).pass(1);
    let lease = story.lease_of(1, 2, 1);
    story.lease(1, lease).effect(1, 1, "pay", 1);
    story
        .record(1, 2, 1, done("pay", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    story
        .dump(Dumped {
            epoch: 2,
            ..with_pay(State::Done)
        })
        .is_clean();
}

#[test]
fn a_recorded_step_that_is_forgotten_is_found() {
    let mut story = finished();
    story.dump(Story::dumped(1, State::Done));
    story.breaks(Invariant::I2, "is forgotten");
}

#[test]
fn a_step_with_two_results_is_found() {
    let mut story = finished();
    let other = Recorded {
        hash: 6,
        ..done("pay", 0)
    };
    story.dump(Dumped {
        journal: vec![other],
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I2, "with two results");
}

#[test]
fn two_steps_at_one_position_are_found() {
    let mut story = finished();
    let journal = vec![done("pay", 0), done("ship", 0)];
    story.dump(Dumped {
        journal,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I2, "one step or position twice");
}

#[test]
fn a_refused_record_that_is_there_is_found() {
    let mut story = begun();
    let records = vec![done("pay", 0)];
    let call = CommitCall {
        records,
        ..Story::commit_of(1, 1, 1)
    };
    story
        .call(1, Call::Commit(Box::new(call)), Answer::LeaseLost)
        .pass(LEASE.0);
    let journal = vec![done("pay", 0)];
    let lease = Leased {
        lease_losses: 1,
        journal,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).quiet();
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Suspended)
    };
    story
        .dump(dumped)
        .breaks(Invariant::I2, "every write of it was refused");
}

// I3

#[test]
fn an_effect_that_is_repeated_without_a_cause_is_found() {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).effect(1, 1, "pay", 1);
    story
        .record(1, 1, 1, done("pay", 0))
        .settle(1, 1, 2, ACK)
        .quiet();
    story.dump(with_pay(State::Done));
    story.breaks(Invariant::I3, "within one lease");
}

#[test]
fn an_effect_that_is_repeated_after_a_rest_is_found() {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).settle(1, 1, 1, PARK).pass(1);
    let lease = story.lease_of(1, 2, 1);
    story.lease(1, lease).effect(1, 1, "pay", 1);
    story
        .record(1, 2, 1, done("pay", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    story.dump(Dumped {
        epoch: 2,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I3, "after a rest");
}

#[test]
fn an_effect_whose_lease_was_lost_may_be_repeated() {
    let mut story = begun();
    story
        .effect(1, 1, "pay", 1)
        .write(0, What::Killed(life(1)))
        .pass(LEASE.0);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).effect(2, 1, "pay", 2);
    let call = Story::commit_of(1, 2, 1);
    story.commit(
        2,
        CommitCall {
            records: vec![done("pay", 0)],
            settle: Some(ACK),
            ..call
        },
    );
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Done)
    };
    story.quiet().dump(dumped).is_clean();
    let shown = story.report().coverage;
    assert_eq!(
        (shown.effects_again, shown.lease_losses, shown.kills),
        (1, 1, 1)
    );
}

// I4

#[test]
fn two_leases_at_one_time_are_found() {
    let mut story = begun();
    story.pass(LEASE.0 / 2);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "was leased again at");
}

#[test]
fn a_lease_that_heartbeats_have_extended_counts_to_its_new_end() {
    let mut story = begun();
    let (now, timeout) = (story.now(), LEASE);
    let beat = Call::Beat {
        job: job(1),
        token: token(1),
        timeout,
    };
    let until = now.after(Millis(3 * LEASE.0));
    story.call(
        1,
        beat,
        Answer::Held {
            until,
            cancel_requested: false,
        },
    );
    story.pass(2 * LEASE.0);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "was leased again at");
}

#[test]
fn one_lease_that_is_given_twice_is_found() {
    let mut story = begun();
    let lease = story.lease_of(1, 1, 1);
    story.lease(2, lease).quiet();
    story.dump(Story::dumped(1, State::Suspended));
    story.breaks(Invariant::I4, "was leased twice");
}

/// Another lease was given, and the first one's holder goes on.
fn taken_over() -> Story {
    let mut story = begun();
    story.pass(2 * LEASE.0);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease);
    story
}

#[test]
fn a_late_write_that_is_taken_is_found() {
    let mut story = taken_over();
    story.record(1, 1, 1, done("pay", 0)).quiet();
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Suspended)
    };
    story
        .dump(dumped)
        .breaks(Invariant::I4, "lease 2 was given before");
}

#[test]
fn a_late_heartbeat_that_is_taken_is_found() {
    let mut story = taken_over();
    let beat = Call::Beat {
        job: job(1),
        token: token(1),
        timeout: LEASE,
    };
    let until = story.now();
    story
        .call(
            1,
            beat,
            Answer::Held {
                until,
                cancel_requested: false,
            },
        )
        .quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    let report = story.report();
    assert!(
        told(&report).contains("was extended, and lease 2 was given before"),
        "{}",
        told(&report)
    );
}

#[test]
fn a_second_answer_to_a_write_that_was_sent_before_is_no_finding() {
    let mut story = begun();
    let records = vec![done("pay", 0)];
    let call = CommitCall {
        records,
        ..Story::commit_of(1, 1, 1)
    };
    let op = story.invoke(1, Call::Commit(Box::new(call.clone())));
    story.write(
        1,
        What::Unknown {
            op,
            code: "X_OUTCOME_UNKNOWN".into(),
        },
    );
    story.pass(2 * LEASE.0);
    let journal = vec![done("pay", 0)];
    let lease = Leased {
        lease_losses: 1,
        journal,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).commit(1, call).quiet();
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Suspended)
    };
    story.dump(dumped).is_clean();
}

#[test]
fn a_write_of_somebody_without_a_lease_is_found() {
    let mut story = begun();
    let call = Story::commit_of(1, 1, 1);
    story
        .commit(
            2,
            CommitCall {
                settle: Some(ACK),
                ..call
            },
        )
        .quiet();
    story.dump(Story::dumped(1, State::Done));
    story.breaks(Invariant::I4, "by a process that did not lease it");
}

#[test]
fn two_writes_of_one_number_are_found() {
    let mut story = begun();
    story
        .record(1, 1, 1, done("pay", 0))
        .record(1, 1, 1, done("ship", 1))
        .quiet();
    let journal = vec![done("pay", 0), done("ship", 1)];
    story.dump(Dumped {
        journal,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "had one number");
}

#[test]
fn an_effect_under_a_lease_that_is_known_to_be_over_is_found() {
    let mut story = taken_over();
    let beat = Call::Beat {
        job: job(1),
        token: token(1),
        timeout: LEASE,
    };
    story
        .call(1, beat, Answer::LeaseLost)
        .pass(1)
        .effect(1, 1, "pay", 1)
        .quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "known to be over");
}

// I5

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

#[test]
fn a_wait_that_is_served_in_time_is_counted() {
    let mut story = parked();
    story.publish(7).pass(1);
    let lease = Leased {
        journal: vec![wait("paid?")],
        ..story.lease_of(1, 2, 1)
    };
    story
        .lease(1, lease)
        .record(1, 2, 1, served("paid?", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    let journal = vec![served("paid?", 0)];
    story
        .dump(Dumped {
            epoch: 2,
            journal,
            ..Story::dumped(1, State::Done)
        })
        .is_clean();
    assert_eq!(story.report().coverage.wakes_after_park, 1);
}

#[test]
fn a_run_that_is_woken_late_is_found() {
    let mut story = parked();
    story.publish(7).pass(60_000);
    let lease = Leased {
        journal: vec![wait("paid?")],
        ..story.lease_of(1, 2, 1)
    };
    story
        .lease(1, lease)
        .record(1, 2, 1, served("paid?", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    let journal = vec![served("paid?", 0)];
    story.dump(Dumped {
        epoch: 2,
        journal,
        ..Story::dumped(1, State::Done)
    });
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

// I6

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

// I7

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

// I8

#[test]
fn a_job_that_was_over_and_pruned_before_its_enqueue_was_answered_is_no_loss() {
    let mut story = Story::default();
    let op = story.invoke(9, Call::Enqueue(Box::new(enqueue_of(1))));
    let lease = story.lease_of(1, 1, 1);
    story.pass(1).lease(1, lease).settle(1, 1, 1, ACK);
    story.pass(100);
    let ended_before = story.now();
    // The client was stopped for so long.
    let answer = Answer::Enqueued {
        job: job(1),
        deduped: false,
        input_differs: false,
    };
    story.pass(100).write(9, What::Ok { op, answer });
    let bounds = Bounds {
        ended_before,
        events_expired_before: Timestamp(0),
        dead_before: None,
    };
    let answer = Answer::Pruned {
        jobs: 1,
        dead_letters: 0,
        events: 0,
    };
    story
        .call(9, Call::Prune(bounds), answer)
        .quiet()
        .is_clean();
}

fn keyed(n: u128) -> EnqueueCall {
    EnqueueCall {
        key: Some("told/a".into()),
        ..enqueue_of(n)
    }
}

fn keyed_dump(n: u128, state: State) -> Dumped {
    Dumped {
        key: Some("told/a".into()),
        epoch: 0,
        ..Story::dumped(n, state)
    }
}

#[test]
fn two_live_jobs_of_one_key_are_found() {
    let mut story = Story::default();
    story.enqueue_as(keyed(1)).enqueue_as(keyed(2)).quiet();
    let later = Some(story.now().after(Millis(1)));
    for n in [1, 2] {
        story.dump(Dumped {
            visible_at: later,
            ..keyed_dump(n, State::Pending)
        });
    }
    story.breaks(Invariant::I8, "were live under one key");
}

#[test]
fn a_job_that_follows_the_holder_of_its_key_is_no_finding() {
    let mut story = Story::default();
    let on_conflict = OnConflict::Replace.into();
    story
        .enqueue_as(keyed(1))
        .enqueue_as(EnqueueCall {
            on_conflict,
            ..keyed(2)
        })
        .quiet();
    story.dump(Dumped {
        epoch: 0,
        ..keyed_dump(1, State::Suspended)
    });
    let visible_at = Some(Timestamp(i64::MAX));
    story
        .dump(Dumped {
            visible_at,
            ..keyed_dump(2, State::Pending)
        })
        .is_clean();
}

#[test]
fn a_commit_sent_again_after_one_of_an_older_lease_is_no_second_life() {
    let mut story = Story::default();
    let late = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.enqueue_as(keyed(1));
    story.lease(1, story.lease_of(1, 1, 1)).pass(2_000);
    let (from, until) = (story.now(), story.now().after(LEASE));
    story.lease(
        1,
        Leased {
            from,
            until,
            ..late
        },
    );
    let goes_on = CommitCall {
        settle: Some(Settled::Continue { next: job(2) }),
        ..Story::commit_of(1, 2, 1)
    };
    let next = |op| EnqueueCall {
        within: Some(op),
        ..keyed(2)
    };
    let code = String::from("lost");
    let op = story.invoke(1, Call::Commit(Box::new(goes_on.clone())));
    let carried = story.invoke(1, Call::Enqueue(Box::new(next(op))));
    for op in [op, carried] {
        let code = code.clone();
        story.write(1, What::Unknown { op, code });
    }
    let old = Call::Commit(Box::new(Story::commit_of(1, 1, 1)));
    story.call(1, old, Answer::LeaseLost);
    story.lease(1, story.lease_of(2, 1, 1));
    let op = story.invoke(1, Call::Commit(Box::new(goes_on)));
    let carried = story.invoke(1, Call::Enqueue(Box::new(next(op))));
    let answer = Answer::Applied;
    story.write(1, What::Ok { op, answer });
    let (op, answer) = (carried, Answer::Carried);
    story.write(1, What::Ok { op, answer }).quiet();
    story.dump(Dumped {
        epoch: 2,
        attempt: 2,
        lease_losses: 1,
        ..keyed_dump(1, State::Done)
    });
    story
        .dump(Dumped {
            epoch: 1,
            ..keyed_dump(2, State::Suspended)
        })
        .is_clean();
}

#[test]
fn an_answer_with_a_holder_of_another_key_is_found() {
    let mut story = Story::default();
    story.enqueue(1);
    let answer = Answer::Enqueued {
        job: job(1),
        deduped: true,
        input_differs: false,
    };
    story
        .call(9, Call::Enqueue(Box::new(keyed(2))), answer)
        .quiet();
    story.dump(Dumped {
        epoch: 0,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I8, "of another key");
}

#[test]
fn another_input_that_is_not_reported_is_found() {
    let mut story = Story::default();
    story.enqueue_as(keyed(1));
    let answer = Answer::Enqueued {
        job: job(1),
        deduped: true,
        input_differs: false,
    };
    let call = EnqueueCall {
        input: 10,
        ..keyed(2)
    };
    story.call(9, Call::Enqueue(Box::new(call)), answer).quiet();
    story.dump(keyed_dump(1, State::Suspended));
    story.breaks(Invariant::I8, "told wrongly");
}

// I9

#[test]
fn two_jobs_of_one_tick_are_found() {
    let mut story = Story::default();
    for n in [1, 2] {
        story.enqueue_as(EnqueueCall {
            tick: Some(tick("nightly", 60)),
            ..enqueue_of(n)
        });
    }
    story.quiet();
    for n in [1, 2] {
        let tick = Some(tick("nightly", 60));
        story.dump(Dumped {
            epoch: 0,
            tick,
            ..Story::dumped(n, State::Suspended)
        });
    }
    story.breaks(Invariant::I9, "has two jobs");
}

/// Ticks of a schedule that has one each minute, each with its job.
fn minutely(ticks: &[i64]) -> Story {
    let mut story = Story::default();
    for (n, minute) in (1..).zip(ticks) {
        story.enqueue_as(EnqueueCall {
            tick: Some(tick("minutely", minute * 60_000)),
            ..enqueue_of(n)
        });
    }
    story.quiet();
    for (n, minute) in (1..).zip(ticks) {
        story.dump(Dumped {
            epoch: 0,
            tick: Some(tick("minutely", minute * 60_000)),
            ..Story::dumped(n, State::Suspended)
        });
    }
    story
}

#[test]
fn a_tick_that_was_passed_over_is_found_where_each_is_to_be_made() {
    let rules = Rules {
        every_tick: [("minutely".into(), Millis::secs(60))].into(),
        ..Rules::default()
    };
    let words = "the tick of \"minutely\" after";
    minutely(&[1, 2, 4]).breaks_by(&rules, Invariant::I9, words);
    minutely(&[1, 2, 4]).is_clean();
    let report = check(&minutely(&[3, 2, 1]).entries, &rules);
    assert!(report.violations.is_empty(), "{}", told(&report));
}

// I10

#[test]
fn a_step_that_is_stored_after_a_cancel_is_found() {
    let mut story = begun();
    story
        .change(1, Settled::Cancel)
        .pass(1)
        .record(1, 1, 1, done("pay", 0))
        .quiet();
    story.dump(with_pay(State::Cancelled));
    story.breaks(Invariant::I10, "stored something after");
}

#[test]
fn a_lease_after_a_cancel_is_found() {
    let mut story = Story::default();
    story.enqueue(1).change(1, Settled::Cancel).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story
        .lease(1, lease)
        .quiet()
        .dump(Story::dumped(1, State::Cancelled));
    story.breaks(Invariant::I10, "leased after");
}

// I11

fn buried() -> Story {
    let mut story = Story::default();
    story.enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 3);
    story.lease(1, lease).settle(1, 1, 1, RETRY).quiet();
    story
}

#[test]
fn a_dead_letter_that_is_gone_is_found() {
    let story = buried();
    let report = story.report();
    let found = report
        .violations
        .iter()
        .any(|v| v.invariant == Invariant::I11);
    assert!(found, "{}", told(&report));
}

#[test]
fn a_dead_letter_that_was_purged_by_name_is_not_missed() {
    let mut story = buried();
    let later = story.now().after(Millis(1));
    story.prune(Some(later)).is_clean();
}

#[test]
fn a_dead_letter_without_its_error_is_found() {
    let mut story = buried();
    let dumped = Story::dumped(1, State::Dead);
    story.dump(Dumped {
        attempt: 3,
        has_error: false,
        ..dumped
    });
    story.breaks(Invariant::I11, "is not kept");
}

// I12

#[test]
fn more_at_once_than_a_limit_says_is_found() {
    let mut story = Story::default();
    for n in [1, 2] {
        story.enqueue_as(EnqueueCall {
            tenant: Some("acme".into()),
            ..enqueue_of(n)
        });
        let lease = Leased {
            tenant: Some("acme".into()),
            ..story.lease_of(n, 1, 1)
        };
        story.lease(1, lease);
    }
    story
        .settle(1, 1, 1, ACK)
        .settle(2, 1, 1, ACK)
        .pass(1)
        .quiet();
    for n in [1, 2] {
        story.dump(Dumped {
            tenant: Some("acme".into()),
            ..Story::dumped(n, State::Done)
        });
    }
    // Both were given and settled in one millisecond: whether at once, nobody can say.
    let rules = Rules {
        limits: vec![Limit {
            of: LimitOf::EachTenant,
            most: 1,
        }],
        ..Rules::default()
    };
    assert!(check(&story.entries, &rules).violations.is_empty());

    let mut story = Story::default();
    for n in [1, 2] {
        story.enqueue_as(EnqueueCall {
            tenant: Some("acme".into()),
            ..enqueue_of(n)
        });
        let lease = Leased {
            tenant: Some("acme".into()),
            ..story.lease_of(n, 1, 1)
        };
        story.lease(1, lease).pass(10);
    }
    story.settle(1, 1, 1, ACK).settle(2, 1, 1, ACK).quiet();
    for n in [1, 2] {
        story.dump(Dumped {
            tenant: Some("acme".into()),
            ..Story::dumped(n, State::Done)
        });
    }
    story.breaks_by(&rules, Invariant::I12, "2 jobs of \"acme\" ran at");
}

// I18, I19

#[test]
fn a_run_that_does_not_come_to_rest_is_found() {
    begun().breaks(Invariant::I18, "never came to rest");
}

#[test]
fn a_ready_job_that_is_left_over_is_found() {
    let mut story = Story::default();
    story.enqueue(1).quiet();
    let visible_at = Some(story.now());
    story.dump(Dumped {
        epoch: 0,
        visible_at,
        ..Story::dumped(1, State::Pending)
    });
    story.breaks(Invariant::I18, "it is ready");
}

#[test]
fn a_run_that_heals_slowly_is_found() {
    let mut story = Story::default();
    story.write(0, What::Healing).pass(5_000).quiet();
    let rules = Rules {
        heal_within: Some(Millis(1_000)),
        ..Rules::default()
    };
    story.breaks_by(&rules, Invariant::I18, "it took 5s");
}

#[test]
fn a_row_that_is_listed_twice_is_found() {
    let mut story = finished();
    story
        .dump(with_pay(State::Done))
        .dump(with_pay(State::Done));
    story.breaks(Invariant::I19, "is listed 2 times");
}

#[test]
fn a_claim_out_of_order_is_found() {
    let mut story = Story::default();
    story.enqueue_as(EnqueueCall {
        priority: Priority::new(3),
        ..enqueue_of(1)
    });
    story.enqueue_as(EnqueueCall {
        priority: Priority::new(2),
        ..enqueue_of(2)
    });
    let claim = Call::Claim {
        limit: 2,
        queues: Vec::new(),
        nonce: 1,
    };
    let op = story.invoke(1, claim);
    for n in [1, 2] {
        let lease = Box::new(story.lease_of(n, 1, 1));
        story.write(1, What::Leased { op, lease });
    }
    story.quiet();
    for n in [1, 2] {
        story.dump(Story::dumped(n, State::Suspended));
    }
    let rules = Rules {
        ordered_claims: true,
        ..Rules::default()
    };
    story.breaks_by(&rules, Invariant::I19, "of lower priority");
}

// The guard, and the words.

#[test]
fn a_run_that_shows_too_little_is_void() {
    let mut story = finished();
    let shown = story.dump(with_pay(State::Done)).report().coverage;
    let least = Coverage {
        kills: 1,
        steps: 1,
        ..Coverage::default()
    };
    assert_eq!(shown.below(&least), ["kills: 0 of at least 1"]);
    let mut two = shown;
    two.add(&shown);
    assert_eq!((two.done, two.effects, two.steps), (2, 2, 2));
}

#[test]
fn a_violation_reads_as_prose_and_shows_its_entries() {
    let report = finished().report();
    let words = report.violations[0].to_string();
    assert!(
        words.starts_with("I1 (what was acknowledged is not lost): job "),
        "{words}"
    );
    assert!(words.contains("Enqueued"), "{words}");
}

#[test]
fn a_parent_that_is_parked_for_a_child_that_has_ended_is_found() {
    let mut story = begun();
    let child = Recorded {
        child: Some(job(2)),
        ..pending("child", RecordKind::Child)
    };
    story.record(1, 1, 1, child.clone());
    story.enqueue(2);
    let parent = Dumped {
        journal: vec![child],
        visible_at: None,
        ..Story::dumped(1, State::Suspended)
    };
    story
        .quiet()
        .dump(parent)
        .dump(Story::dumped(2, State::Done));
    story.breaks_among_others(Invariant::I18, "which has ended");
}

#[test]
fn a_worker_that_takes_a_recorded_result_back_is_found() {
    let mut story = begun();
    story.record(1, 1, 1, done("pay", 0));
    let back = CommitCall {
        removed: vec!["pay".into()],
        settle: Some(Settled::HandBack),
        ..Story::commit_of(1, 1, 2)
    };
    story.commit(1, back);
    story.breaks_among_others(Invariant::I2, "took it back");
}
