//! A clean history in which one thing is changed: the checker must find it, whatever it is and
//! wherever it stands.

use super::clean::{checked, history};
use super::story::told;
use jobs_runtime::Timestamp;
use jobs_runtime::core::{Millis, RecordKind, State};
use jobs_runtime::torture::history::{Answer, Call, Dumped, Entry, Leased, Recorded, What};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::sync::LazyLock;

static CLEAN: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(history(3)).unwrap()
});

/// One thing that is done to a history.
#[derive(Clone, Copy, Debug)]
enum Mutation {
    DropDumped,
    DropLease,
    DropPublish,
    DropRecord,
    LateEffect,
    LongerSleep,
    OtherAttempt,
    OtherInput,
    OtherKey,
    OtherResult,
    OtherState,
    ReadOtherwise,
    RefuseEnd,
    RepeatDumped,
    RepeatEffect,
    RepeatLease,
    RiseByARest,
    SwapPositions,
}

const ALL: &[Mutation] = &[
    Mutation::DropDumped,
    Mutation::DropLease,
    Mutation::DropPublish,
    Mutation::DropRecord,
    Mutation::LateEffect,
    Mutation::LongerSleep,
    Mutation::OtherAttempt,
    Mutation::OtherInput,
    Mutation::OtherKey,
    Mutation::OtherResult,
    Mutation::OtherState,
    Mutation::ReadOtherwise,
    Mutation::RefuseEnd,
    Mutation::RepeatDumped,
    Mutation::RepeatEffect,
    Mutation::RepeatLease,
    Mutation::RiseByARest,
    Mutation::SwapPositions,
];

/// Something to change, and where.
struct Place<'h> {
    history: &'h mut Vec<Entry>,
    which: Index,
}

impl Place<'_> {
    /// The places at which something can be done.
    fn pick(&self, fits: impl Fn(&What) -> bool) -> usize {
        let places = self.history.iter().enumerate();
        let places: Vec<usize> = places
            .filter(|(_, e)| fits(&e.what))
            .map(|(at, _)| at)
            .collect();
        places[self.which.index(places.len())]
    }

    fn dumped(&mut self, fits: impl Fn(&Dumped) -> bool) -> &mut Dumped {
        let at = self.pick(|what| matches!(what, What::Job(dumped) if fits(dumped)));
        match &mut self.history[at].what {
            What::Job(dumped) => dumped,
            other => panic!("{other:?}"),
        }
    }

    fn leased(&mut self, fits: impl Fn(&Leased) -> bool) -> &mut Leased {
        let at = self.pick(|what| matches!(what, What::Leased { lease, .. } if fits(lease)));
        match &mut self.history[at].what {
            What::Leased { lease, .. } => lease,
            other => panic!("{other:?}"),
        }
    }

    fn commit_answers(&self, fits: impl Fn(&Call) -> bool) -> usize {
        let ops: Vec<_> = self
            .history
            .iter()
            .filter_map(|entry| match &entry.what {
                What::Invoke { op, call } if fits(call) => Some(*op),
                _ => None,
            })
            .collect();
        self.pick(
            |what| matches!(what, What::Ok { op, answer: Answer::Applied } if ops.contains(op)),
        )
    }
}

fn is_recorded(record: &Recorded) -> bool {
    record.position.is_some()
}

fn mutate(mutation: Mutation, place: &mut Place<'_>) {
    let with_record = |dumped: &Dumped| dumped.journal.iter().any(is_recorded);
    let is_job = |what: &What| matches!(what, What::Job(_));
    let is_effect = |what: &What| matches!(what, What::EffectBegin(_));
    match mutation {
        Mutation::DropDumped => {
            let at = place.pick(is_job);
            place.history.remove(at);
        }
        Mutation::DropLease => {
            let at = place.pick(|what| matches!(what, What::Leased { .. }));
            place.history.remove(at);
        }
        Mutation::DropPublish => {
            let at = place.pick(|what| {
                matches!(
                    what,
                    What::Invoke {
                        call: Call::Publish(_),
                        ..
                    }
                )
            });
            place.history.drain(at..at + 2);
        }
        Mutation::DropRecord => {
            let journal = &mut place.dumped(with_record).journal;
            let at = journal.iter().position(is_recorded).unwrap();
            journal.remove(at);
        }
        Mutation::LateEffect => {
            let at = place.pick(is_effect);
            let mut begin = place.history.remove(at);
            let quiet = place
                .history
                .iter()
                .position(|e| e.what == What::Quiet)
                .unwrap();
            begin.mono_ns = place.history[quiet].mono_ns;
            place.history.insert(quiet, begin);
        }
        Mutation::LongerSleep => {
            let slept = |r: &Recorded| r.kind == RecordKind::Sleep && is_recorded(r);
            let at = place.pick(|what| match what {
                What::Invoke {
                    call: Call::Commit(commit),
                    ..
                } => commit.records.iter().any(slept),
                _ => false,
            });
            if let What::Invoke {
                call: Call::Commit(commit),
                ..
            } = &mut place.history[at].what
            {
                for record in commit.records.iter_mut().filter(|record| slept(record)) {
                    record.wake_at = record.wake_at.map(|at: Timestamp| at.after(Millis(1)));
                }
            }
        }
        Mutation::OtherAttempt => place.dumped(|dumped| dumped.epoch > 0).attempt += 1,
        Mutation::OtherInput => place.dumped(|_| true).input ^= 1,
        Mutation::OtherKey => place.dumped(|dumped| dumped.key.is_some()).key = None,
        Mutation::OtherResult => {
            let journal = &mut place.dumped(with_record).journal;
            let record = journal.iter_mut().find(|record| is_recorded(record));
            record.unwrap().hash ^= 1;
        }
        Mutation::OtherState => {
            let dumped = place.dumped(|dumped| dumped.state != State::Failed);
            dumped.state = State::Failed;
        }
        Mutation::ReadOtherwise => {
            let read =
                |lease: &Leased| lease.token.epoch > 1 && lease.journal.iter().any(is_recorded);
            let journal = &mut place.leased(read).journal;
            let record = journal.iter_mut().find(|record| is_recorded(record));
            record.unwrap().hash ^= 1;
        }
        Mutation::RefuseEnd => {
            let at = place.commit_answers(|call| match call {
                Call::Commit(commit) => matches!(
                    commit.settle,
                    Some(jobs_runtime::torture::history::Settled::Ack { .. })
                ),
                _ => false,
            });
            if let What::Ok { answer, .. } = &mut place.history[at].what {
                *answer = Answer::LeaseLost;
            }
        }
        Mutation::RepeatDumped => {
            let at = place.pick(is_job);
            place.history.insert(at, place.history[at].clone());
        }
        Mutation::RepeatEffect => {
            // One that did not fail: others may be repeated.
            let at = place.pick(|what| matches!(what, What::EffectEnd(effect) if !effect.failed));
            place.history.insert(at, place.history[at].clone());
            if let What::EffectEnd(effect) = place.history[at].what.clone() {
                place.history.insert(
                    at + 1,
                    Entry {
                        what: What::EffectBegin(effect),
                        ..place.history[at].clone()
                    },
                );
            }
        }
        Mutation::RepeatLease => {
            let at = place.pick(|what| matches!(what, What::Leased { .. }));
            place.history.insert(at, place.history[at].clone());
        }
        Mutation::RiseByARest => {
            place.leased(|lease| lease.token.epoch > 1).attempt += 1;
        }
        Mutation::SwapPositions => {
            let two =
                |dumped: &Dumped| dumped.journal.iter().filter(|r| is_recorded(r)).count() > 1;
            let journal = &mut place.dumped(two).journal;
            let mut recorded = journal.iter_mut().filter(|record| is_recorded(record));
            let (one, other) = (recorded.next().unwrap(), recorded.next().unwrap());
            std::mem::swap(&mut one.position, &mut other.position);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn whatever_is_changed_is_found(mutation in select(ALL), which in any::<Index>()) {
        let mut changed = CLEAN.clone();
        mutate(mutation, &mut Place { history: &mut changed, which });
        let report = checked(&changed);
        prop_assert!(!report.violations.is_empty(), "{mutation:?} at {which:?} is not found");
    }

    #[test]
    fn a_history_that_breaks_off_anywhere_only_lacks_its_rest(to in any::<Index>()) {
        let part = &CLEAN[..to.index(CLEAN.len())];
        let quiet = part.iter().any(|entry| entry.what == What::Quiet);
        let report = checked(part);
        let wrong = report.violations.iter().filter(|violation| {
            // The dump is part of it, or nothing says that it is over.
            !quiet && !violation.what.contains("never came to rest")
        });
        prop_assert_eq!(wrong.count(), 0, "{}", told(&report));
    }
}
