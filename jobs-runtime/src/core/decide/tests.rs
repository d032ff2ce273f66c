//! The decisions on one row, each from a head that is written out.

use super::*;
use crate::core::{
    JobId, NewJob, OnConflict, Payload, Position, Priority, RecordKind, RunId, StepOutcome,
    StepRecord, Visible,
};
use alloc::{collections::BTreeMap, vec};

const NOW: Timestamp = Timestamp(1_000_000);
const LEASE: Millis = Millis::secs(30);
const TOKEN: Token = Token { epoch: 3, nonce: 7 };

fn spec() -> JobSpec {
    JobSpec {
        id: JobId::new(NOW, 1),
        run_id: RunId::new(NOW, 2),
        name: "mail".into(),
        scope: "mail".into(),
        queue: "default".into(),
        key: None,
        input: Payload::json(*b"{}"),
        priority: Priority::DEFAULT,
        tenant: None,
        visibility_timeout: None,
        expires_at: None,
        limit_key: None,
        rate_key: None,
        parent: None,
        tick: None,
        trace_context: None,
        labels: BTreeMap::new(),
        version: 0,
        fork_of: None,
        continued_from: None,
        chain: None,
        on_cancel: None,
    }
}

fn pending() -> Head {
    let job = NewJob {
        spec: spec(),
        visible: Visible::Now,
        attempts_max: 3,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    };
    Head::new(&job, NOW)
}

fn running() -> Head {
    Head {
        state: State::Running,
        token: TOKEN,
        visible_at: Some(NOW.after(LEASE)),
        started_at: Some(NOW),
        revision: 9,
        ..pending()
    }
}

fn ended(state: State) -> Head {
    Head {
        state,
        visible_at: None,
        ended_at: Some(NOW),
        ..running()
    }
}

fn number(number: u64) -> CommitNumber {
    CommitNumber {
        token: TOKEN,
        number,
    }
}

fn settling(n: u64, how: Settle) -> Commit {
    let spec = spec();
    Commit::settle(spec.id, spec.run_id, number(n), how)
}

fn steps(n: u64, base: u32, positions: &[u32]) -> Commit {
    let records = positions.iter().map(|position| StepRecord {
        position: Some(Position(*position)),
        outcome: Some(StepOutcome::TimedOut),
        ..StepRecord::pending("step", RecordKind::Event, NOW)
    });
    let (spec, base) = (spec(), Position(base));
    Commit::steps(
        spec.id,
        spec.run_id,
        number(n),
        base,
        0,
        records.collect::<Vec<_>>(),
    )
}

fn ack() -> Settle {
    Settle::Ack {
        output: Payload::json(*b"1"),
    }
}

fn boom() -> StoredError {
    StoredError::new("X_BOOM", "it went wrong")
}

fn retry() -> Settle {
    Settle::Retry {
        delay: Millis(500),
        error: boom(),
    }
}

#[track_caller]
fn applied(head: &Head, commit: &Commit) -> Head {
    match decide(head, commit, NOW) {
        Decision::Apply { head, .. } => head,
        other => panic!("not applied: {other:?}"),
    }
}

#[track_caller]
fn refused(head: &Head, commit: &Commit, with: &CommitAnswer) {
    assert_eq!(decide(head, commit, NOW), Decision::Answer(with.clone()));
}

#[track_caller]
fn leased(spec: &JobSpec, head: &Head, now: Timestamp) -> Head {
    match claim(spec, head, now, LEASE, 42) {
        ClaimVerdict::Lease { head } => head,
        other => panic!("not leased: {other:?}"),
    }
}

#[test]
fn the_order_is_priority_then_time_then_id() {
    let plain = (spec(), pending());
    let mut urgent = plain.clone();
    urgent.0.priority = Priority::new(0);
    urgent.1.visible_at = Some(NOW.after(Millis(5)));
    let mut later = plain.clone();
    later.1.visible_at = Some(NOW.after(Millis(1)));
    let mut next_id = plain.clone();
    next_id.0.id = JobId::new(NOW.after(Millis(1)), 0);
    let mut all = [&later, &next_id, &plain, &urgent];
    all.sort_by(|a, b| claim_order((&a.0, &a.1), (&b.0, &b.1)));
    assert_eq!(all, [&urgent, &plain, &next_id, &later]);
}

#[test]
fn what_is_visible_at_this_very_instant_is_leased() {
    assert_eq!(leased(&spec(), &pending(), NOW).state, State::Running);
    let early = Timestamp(NOW.0 - 1);
    let verdict = claim(&spec(), &pending(), early, LEASE, 42);
    assert_eq!(verdict, ClaimVerdict::Skip);
}

#[test]
fn what_waits_for_ever_is_skipped() {
    let parked = Head {
        state: State::Suspended,
        visible_at: None,
        ..running()
    };
    let verdict = claim(&spec(), &parked, Timestamp(i64::MAX), LEASE, 42);
    assert_eq!(verdict, ClaimVerdict::Skip);
}

#[test]
fn an_ended_row_is_skipped_even_if_its_instant_was_left_behind() {
    for state in State::ALL.into_iter().filter(|state| !state.is_live()) {
        let torn = Head {
            visible_at: Some(NOW),
            ..ended(state)
        };
        let verdict = claim(&spec(), &torn, NOW, LEASE, 42);
        assert_eq!(verdict, ClaimVerdict::Skip, "{state}");
    }
}

#[test]
fn each_lease_is_a_new_epoch_with_the_given_bits() {
    let first = leased(&spec(), &pending(), NOW);
    assert_eq!(
        first.token,
        Token {
            epoch: 1,
            nonce: 42
        }
    );
    assert_eq!(first.visible_at, Some(NOW.after(LEASE)));
    let again = leased(&spec(), &first, NOW.after(LEASE));
    assert_eq!(again.token.epoch, 2);
}

#[test]
fn the_first_lease_is_the_start_and_later_ones_are_not() {
    let first = leased(&spec(), &pending(), NOW.after(Millis(5)));
    assert_eq!(first.started_at, Some(NOW.after(Millis(5))));
    let again = leased(&spec(), &first, NOW.after(Millis::secs(99)));
    assert_eq!(again.started_at, first.started_at);
}

#[test]
fn a_lost_lease_is_an_attempt_and_a_suspension_is_none() {
    let lost = leased(&spec(), &running(), NOW.after(LEASE));
    assert_eq!((lost.attempt, lost.lease_losses), (2, 1));
    let parked = Head {
        state: State::Suspended,
        ..running()
    };
    let back = leased(&spec(), &parked, NOW.after(LEASE));
    assert_eq!((back.attempt, back.lease_losses), (1, 0));
}

#[test]
fn the_last_attempt_that_loses_its_lease_is_buried() {
    let last = Head {
        attempt: 3,
        ..running()
    };
    let verdict = claim(&spec(), &last, NOW.after(LEASE), LEASE, 42);
    let ClaimVerdict::Bury { head, error } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(head.state, State::Dead);
    assert_eq!((head.visible_at, head.lease_losses), (None, 1));
    assert_eq!(head.ended_at, Some(NOW.after(LEASE)));
    assert_eq!(head.token, TOKEN, "its last holder is still fenced off");
    assert_eq!(error.code.as_deref(), Some("X_JOB_MAX_ATTEMPTS"));
}

#[test]
fn a_suspended_run_on_its_last_attempt_is_leased() {
    let parked = Head {
        state: State::Suspended,
        attempt: 3,
        visible_at: Some(NOW),
        ..running()
    };
    assert_eq!(leased(&spec(), &parked, NOW).attempt, 3);
}

#[test]
fn only_what_was_never_started_expires() {
    let late = JobSpec {
        expires_at: Some(NOW),
        ..spec()
    };
    let verdict = claim(&late, &pending(), NOW, LEASE, 42);
    assert!(matches!(
        verdict,
        ClaimVerdict::Expire { head, .. } if head.state == State::Failed
    ));
    let retried = Head {
        started_at: Some(NOW),
        ..pending()
    };
    assert_eq!(leased(&late, &retried, NOW).state, State::Running);
}

#[test]
fn a_heartbeat_is_held_only_with_the_token_and_before_the_end() {
    let held = heartbeat(&running(), TOKEN, NOW, LEASE);
    assert_eq!(
        held.map(|head| head.visible_at),
        Some(Some(NOW.after(LEASE)))
    );
    let other = Token { nonce: 8, ..TOKEN };
    assert_eq!(heartbeat(&running(), other, NOW, LEASE), None);
    let end = NOW.after(LEASE);
    assert_eq!(heartbeat(&running(), TOKEN, end, LEASE), None);
    assert_eq!(heartbeat(&ended(State::Done), TOKEN, NOW, LEASE), None);
}

#[test]
fn a_heartbeat_changes_nothing_but_the_end() {
    let held = heartbeat(&running(), TOKEN, NOW, Millis(5));
    let expected = Head {
        visible_at: Some(NOW.after(Millis(5))),
        ..running()
    };
    assert_eq!(held, Some(expected));
}

#[test]
fn a_nudge_wakes_the_suspended_and_leaves_the_lease_of_the_running() {
    let parked = Head {
        state: State::Suspended,
        visible_at: None,
        ..running()
    };
    let woken = nudged(&parked, NOW);
    assert_eq!((woken.visible_at, woken.nudge), (Some(NOW), 1));
    let busy = nudged(&running(), NOW);
    assert_eq!((busy.visible_at, busy.nudge), (running().visible_at, 1));
}

#[test]
fn a_nudge_never_puts_off_what_is_due() {
    let due = Timestamp(NOW.0 - 5);
    let parked = Head {
        state: State::Suspended,
        visible_at: Some(due),
        ..running()
    };
    assert_eq!(nudged(&parked, NOW).visible_at, Some(due));
}

#[test]
fn the_next_number_applies_and_no_other() {
    assert_eq!(
        applied(&running(), &steps(1, 0, &[])).last_commit,
        number(1)
    );
    let second = Head {
        last_commit: number(1),
        ..running()
    };
    applied(&second, &steps(2, 0, &[]));
    refused(&running(), &steps(2, 0, &[]), &CommitAnswer::LeaseLost);
    refused(&running(), &steps(0, 0, &[]), &CommitAnswer::LeaseLost);
    refused(&second, &steps(3, 0, &[]), &CommitAnswer::LeaseLost);
}

#[test]
fn a_stored_number_is_answered_applied_in_every_state_and_at_any_time() {
    for state in State::ALL {
        let head = Head {
            last_commit: number(4),
            ..ended(state)
        };
        for n in 1..=4 {
            let answer = CommitAnswer::Applied(Applied::default());
            refused(&head, &steps(n, 0, &[]), &answer);
        }
    }
}

#[test]
fn a_new_lease_counts_from_one() {
    let before = CommitNumber {
        token: Token { epoch: 2, nonce: 1 },
        number: 40,
    };
    let head = Head {
        last_commit: before,
        ..running()
    };
    applied(&head, &steps(1, 0, &[]));
    refused(&head, &steps(41, 0, &[]), &CommitAnswer::LeaseLost);
}

#[test]
fn both_halves_of_the_token_must_fit() {
    for token in [Token { epoch: 4, ..TOKEN }, Token { nonce: 8, ..TOKEN }] {
        let head = Head { token, ..running() };
        refused(&head, &steps(1, 0, &[]), &CommitAnswer::LeaseLost);
    }
}

#[test]
fn a_lease_that_is_over_writes_nothing() {
    let over = Head {
        visible_at: Some(NOW),
        ..running()
    };
    refused(&over, &steps(1, 0, &[]), &CommitAnswer::LeaseLost);
    for state in [State::Pending, State::Suspended, State::Done, State::Dead] {
        let head = Head { state, ..running() };
        refused(&head, &settling(1, ack()), &CommitAnswer::LeaseLost);
    }
}

#[test]
fn a_cancelled_job_says_so_to_any_holder() {
    let head = ended(State::Cancelled);
    refused(&head, &settling(1, ack()), &CommitAnswer::Cancelled);
}

#[test]
fn positions_go_on_where_the_row_stands() {
    let head = Head {
        next_position: Position(2),
        ..running()
    };
    assert_eq!(
        applied(&head, &steps(1, 2, &[2, 3])).next_position,
        Position(4)
    );
    refused(&head, &steps(1, 1, &[1]), &CommitAnswer::LeaseLost);
    refused(&head, &steps(1, 3, &[3]), &CommitAnswer::LeaseLost);
}

#[test]
fn only_a_park_minds_what_it_has_not_seen() {
    let head = Head {
        nudge: 5,
        ..running()
    };
    let park = settling(1, Settle::Suspend { wake_at: None });
    assert_eq!(decide(&head, &park, NOW), Decision::Nudged);
    applied(&head, &settling(1, ack()));
    let seen = Commit {
        seen_nudge: 5,
        ..park
    };
    let parked = applied(&head, &seen);
    assert_eq!((parked.state, parked.visible_at), (State::Suspended, None));
}

#[test]
fn a_retry_waits_and_counts_and_the_last_one_is_buried() {
    let head = applied(&running(), &settling(1, retry()));
    assert_eq!((head.state, head.attempt), (State::Pending, 2));
    assert_eq!(head.visible_at, Some(NOW.after(Millis(500))));
    let last = Head {
        attempt: 3,
        ..running()
    };
    let head = applied(&last, &settling(1, retry()));
    assert_eq!((head.state, head.attempt), (State::Dead, 3));
    assert_eq!((head.visible_at, head.ended_at), (None, Some(NOW)));
}

#[test]
fn hand_back_deferral_hold_and_park_cost_no_attempt() {
    let delay = Millis(500);
    let error = boom();
    let wake_at = Some(NOW.after(Millis(9)));
    let changes = [
        (Settle::HandBack, State::Pending, Some(NOW)),
        (
            Settle::Defer { delay },
            State::Pending,
            Some(NOW.after(delay)),
        ),
        (Settle::Hold { error }, State::Suspended, None),
        (Settle::Suspend { wake_at }, State::Suspended, wake_at),
    ];
    for (settle, state, visible_at) in changes {
        let head = applied(&running(), &settling(1, settle));
        assert_eq!((head.state, head.visible_at), (state, visible_at));
        assert_eq!((head.attempt, head.lease_losses), (1, 0));
        assert_eq!(head.ended_at, None);
    }
}

#[test]
fn every_end_is_never_visible_and_says_when() {
    let error = boom();
    let ends = [
        (ack(), State::Done),
        (Settle::Fail { error }, State::Failed),
        (Settle::Cancel, State::Cancelled),
    ];
    for (settle, state) in ends {
        let head = applied(&running(), &settling(1, settle));
        assert_eq!(head.state, state);
        assert_eq!((head.visible_at, head.ended_at), (None, Some(NOW)));
    }
}

#[test]
fn every_applied_commit_raises_the_revision() {
    for commit in [steps(1, 0, &[]), settling(1, ack()), settling(1, retry())] {
        assert_eq!(applied(&running(), &commit).revision, 10);
    }
}

#[test]
fn a_person_writes_only_on_the_row_that_was_read() {
    let spec = spec();
    let cancel = |revision| Commit::cancel(spec.id, spec.run_id, revision);
    assert_eq!(applied(&running(), &cancel(9)).state, State::Cancelled);
    refused(&running(), &cancel(8), &CommitAnswer::Conflict);
    refused(&running(), &cancel(10), &CommitAnswer::Conflict);
    refused(&ended(State::Done), &cancel(9), &CommitAnswer::Conflict);
}

#[test]
fn a_person_leaves_the_last_commit_of_the_lease_alone() {
    let head = Head {
        last_commit: number(4),
        ..running()
    };
    let spec = spec();
    let cancelled = applied(&head, &Commit::cancel(spec.id, spec.run_id, 9));
    assert_eq!(cancelled.last_commit, number(4));
}

#[test]
fn a_requeue_counts_anew_and_keeps_epoch_and_positions() {
    let dead = Head {
        attempt: 3,
        lease_losses: 2,
        next_position: Position(7),
        cancel_requested: true,
        ..ended(State::Dead)
    };
    let spec = spec();
    let requeue = Commit::requeue(spec.id, spec.run_id, 9, vec![]);
    let head = applied(&dead, &requeue);
    assert_eq!((head.state, head.visible_at), (State::Pending, Some(NOW)));
    assert_eq!((head.attempt, head.lease_losses), (1, 0));
    assert_eq!((head.ended_at, head.cancel_requested), (None, false));
    assert_eq!((head.token, head.next_position), (TOKEN, Position(7)));
    refused(&running(), &requeue, &CommitAnswer::Conflict);
}

#[test]
fn a_revived_job_does_not_expire_again() {
    let late = JobSpec {
        expires_at: Some(NOW),
        ..spec()
    };
    let ClaimVerdict::Expire { head, .. } = claim(&late, &pending(), NOW, LEASE, 42) else {
        panic!("it did not expire");
    };
    let requeue = Commit::requeue(late.id, late.run_id, head.revision, vec![]);
    let revived = applied(&head, &requeue);
    assert_eq!(leased(&late, &revived, NOW).state, State::Running);
}
