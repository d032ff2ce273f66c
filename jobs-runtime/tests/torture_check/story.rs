//! Histories made by hand, in a few words.

use jobs_runtime::clock::VirtualClock;
use jobs_runtime::core::{
    CommitNumber, EventId, Millis, OnConflict, Position, Priority, RecordKind, State, Token,
};
use jobs_runtime::torture::check::{Invariant, Report, Rules, check};
use jobs_runtime::torture::history::{
    Answer, Bounds, Call, CommitCall, Dumped, Effect, Ended, EndedRule, EnqueueCall, Entry, Leased,
    Life, Op, PublishCall, Recorded, Settled, Tick, Waited, What,
};
use jobs_runtime::{JobId, RunId, Timestamp};

/// How long a lease lasts in a story.
pub(crate) const LEASE: Millis = Millis(1_000);

/// A history that is being told.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) entries: Vec<Entry>,
    now: u64,
    op: u64,
}

pub(crate) fn job(n: u128) -> JobId {
    JobId::new(Timestamp(1), n)
}

pub(crate) fn run(n: u128) -> RunId {
    RunId::new(Timestamp(1), n)
}

pub(crate) fn token(epoch: u64) -> Token {
    Token {
        epoch,
        nonce: epoch * 7,
    }
}

pub(crate) fn event(n: u128) -> EventId {
    EventId::new(Timestamp(1), n)
}

/// A step that was delivered.
pub(crate) fn done(step: &str, position: u32) -> Recorded {
    Recorded {
        position: Some(Position(position)),
        ended: Some(Ended::Done),
        hash: 5,
        ..pending(step, RecordKind::Step)
    }
}

pub(crate) fn pending(step: &str, kind: RecordKind) -> Recorded {
    Recorded {
        step: step.into(),
        kind,
        position: None,
        ended: None,
        hash: 0,
        attempts: 1,
        wake_at: None,
        wait: None,
        event: None,
        child: None,
    }
}

/// A wait for "paid".
pub(crate) fn wait(step: &str) -> Recorded {
    let wait = Waited {
        names: vec!["paid".into()],
        key: None,
        since: Timestamp(0),
    };
    Recorded {
        wait: Some(wait),
        ..pending(step, RecordKind::Event)
    }
}

pub(crate) fn enqueue_of(n: u128) -> EnqueueCall {
    EnqueueCall {
        job: job(n),
        run: run(n),
        name: "told".into(),
        key: None,
        tenant: None,
        queue: "default".into(),
        priority: Priority::DEFAULT,
        input: 9,
        visible_at: None,
        delay: None,
        attempts_max: 3,
        on_conflict: OnConflict::Dedupe.into(),
        unique_for: None,
        parent: None,
        tick: None,
        within: None,
    }
}

impl Story {
    /// Lets time pass.
    pub(crate) fn pass(&mut self, millis: u64) -> &mut Self {
        self.now += millis;
        self
    }

    pub(crate) fn now(&self) -> Timestamp {
        VirtualClock::START.after(Millis(self.now))
    }

    pub(crate) fn write(&mut self, process: u32, what: What) -> &mut Self {
        self.entries.push(Entry {
            process,
            incarnation: 1,
            seq: self.entries.len() as u64 + 1,
            mono_ns: self.now * 1_000_000,
            at: self.now(),
            what,
        });
        self
    }

    pub(crate) fn invoke(&mut self, process: u32, call: Call) -> Op {
        self.op += 1;
        let op = Op(self.op);
        self.write(process, What::Invoke { op, call });
        op
    }

    pub(crate) fn call(&mut self, process: u32, call: Call, answer: Answer) -> &mut Self {
        let op = self.invoke(process, call);
        self.write(process, What::Ok { op, answer })
    }

    pub(crate) fn enqueue(&mut self, n: u128) -> &mut Self {
        self.enqueue_as(enqueue_of(n))
    }

    pub(crate) fn enqueue_as(&mut self, call: EnqueueCall) -> &mut Self {
        let answer = Answer::Enqueued {
            job: call.job,
            deduped: false,
            input_differs: false,
        };
        self.call(9, Call::Enqueue(Box::new(call)), answer)
    }

    pub(crate) fn lease_of(&self, n: u128, epoch: u64, attempt: u32) -> Leased {
        Leased {
            job: job(n),
            run: run(n),
            token: token(epoch),
            attempt,
            attempts_max: 3,
            lease_losses: 0,
            from: self.now(),
            until: self.now().after(LEASE),
            tenant: None,
            limit_key: None,
            input: 9,
            journal: Vec::new(),
            inbox: Vec::new(),
        }
    }

    pub(crate) fn lease(&mut self, process: u32, lease: Leased) -> &mut Self {
        let claim = Call::Claim {
            limit: 1,
            queues: Vec::new(),
            nonce: 1,
        };
        let op = self.invoke(process, claim);
        let lease = Box::new(lease);
        self.write(process, What::Leased { op, lease });
        let answer = Answer::Claimed {
            jobs: 1,
            now: self.now(),
        };
        self.write(process, What::Ok { op, answer })
    }

    pub(crate) fn commit_of(n: u128, epoch: u64, number: u64) -> CommitCall {
        CommitCall {
            job: job(n),
            run: run(n),
            lease: Some(CommitNumber {
                token: token(epoch),
                number,
            }),
            revision: None,
            change: None,
            records: Vec::new(),
            removed: Vec::new(),
            settle: None,
        }
    }

    pub(crate) fn commit(&mut self, process: u32, call: CommitCall) -> &mut Self {
        self.call(process, Call::Commit(Box::new(call)), Answer::Applied)
    }

    pub(crate) fn record(
        &mut self,
        n: u128,
        epoch: u64,
        number: u64,
        record: Recorded,
    ) -> &mut Self {
        let call = Story::commit_of(n, epoch, number);
        self.commit(
            1,
            CommitCall {
                records: vec![record],
                ..call
            },
        )
    }

    pub(crate) fn settle(
        &mut self,
        n: u128,
        epoch: u64,
        number: u64,
        settled: Settled,
    ) -> &mut Self {
        let call = Story::commit_of(n, epoch, number);
        self.commit(
            1,
            CommitCall {
                settle: Some(settled),
                ..call
            },
        )
    }

    /// A change by a person.
    pub(crate) fn change(&mut self, n: u128, settled: Settled) -> &mut Self {
        self.op += 1;
        let call = CommitCall {
            lease: None,
            revision: Some(1),
            change: Some(self.op),
            settle: Some(settled),
            ..Story::commit_of(n, 0, 0)
        };
        self.commit(9, call)
    }

    pub(crate) fn effect(&mut self, process: u32, n: u128, step: &str, attempt: u32) -> &mut Self {
        let effect = Effect {
            run: run(n),
            step: step.into(),
            attempt,
            epoch: None,
            hash: 0,
            failed: false,
        };
        self.write(process, What::EffectBegin(effect.clone()));
        self.write(process, What::EffectEnd(effect))
    }

    pub(crate) fn publish(&mut self, n: u128) -> &mut Self {
        let call = PublishCall {
            event: event(n),
            name: "paid".into(),
            key: None,
            tenant: None,
            ttl: Millis(1_000_000),
            payload: 1,
            within: None,
        };
        let seq = u64::try_from(n).unwrap();
        let answer = Answer::Published { seq, woken: 0 };
        self.call(9, Call::Publish(Box::new(call)), answer)
    }

    pub(crate) fn prune(&mut self, dead_before: Option<Timestamp>) -> &mut Self {
        self.prune_by(dead_before, Vec::new(), Millis(0))
    }

    pub(crate) fn prune_by(
        &mut self,
        dead_before: Option<Timestamp>,
        rules: Vec<EndedRule>,
        spared: Millis,
    ) -> &mut Self {
        let bounds = Bounds {
            ended_before: Timestamp(0),
            events_expired_before: Timestamp(0),
            dead_before,
            rules,
            spared,
        };
        let answer = Answer::Pruned {
            jobs: 0,
            dead_letters: 1,
            events: 0,
        };
        self.call(9, Call::Prune(bounds), answer)
    }

    pub(crate) fn quiet(&mut self) -> &mut Self {
        self.write(0, What::Quiet)
    }

    pub(crate) fn dumped(n: u128, state: State) -> Dumped {
        Dumped {
            job: job(n),
            run: run(n),
            name: "told".into(),
            key: None,
            tenant: None,
            input: 9,
            state,
            attempt: 1,
            attempts_max: 3,
            lease_losses: 0,
            epoch: 1,
            visible_at: None,
            ended_at: None,
            has_error: state == State::Dead,
            cleans_up: false,
            tick: None,
            journal: Vec::new(),
        }
    }

    pub(crate) fn dump(&mut self, dumped: Dumped) -> &mut Self {
        self.write(0, What::Job(Box::new(dumped)))
    }

    pub(crate) fn report(&self) -> Report {
        check(&self.entries, &Rules::default())
    }

    /// Nothing is wrong with it.
    pub(crate) fn is_clean(&self) {
        let report = self.report();
        assert!(report.violations.is_empty(), "{}", told(&report));
    }

    /// One promise is broken, in these words.
    pub(crate) fn breaks(&self, invariant: Invariant, words: &str) {
        self.breaks_by(&Rules::default(), invariant, words);
    }

    /// This promise is broken, in these words, and others may be with it.
    pub(crate) fn breaks_among_others(&self, invariant: Invariant, words: &str) {
        let report = self.report();
        let found = report
            .violations
            .iter()
            .any(|violation| violation.invariant == invariant && violation.what.contains(words));
        assert!(found, "{invariant} {words:?}, in: {}", told(&report));
    }

    pub(crate) fn is_clean_by(&self, rules: &Rules) {
        let report = check(&self.entries, rules);
        assert!(report.violations.is_empty(), "{}", told(&report));
    }

    /// It may break others.
    pub(crate) fn keeps(&self, invariant: Invariant) {
        let report = self.report();
        let mut broken = report.violations.iter().map(|it| it.invariant);
        assert!(!broken.any(|it| it == invariant), "{}", told(&report));
    }

    pub(crate) fn breaks_by(&self, rules: &Rules, invariant: Invariant, words: &str) {
        let report = check(&self.entries, rules);
        let found = report
            .violations
            .iter()
            .any(|violation| violation.invariant == invariant && violation.what.contains(words));
        let others = report.violations.iter().any(|v| v.invariant != invariant);
        assert!(
            found && !others,
            "{invariant} {words:?}, in: {}",
            told(&report)
        );
    }
}

pub(crate) fn told(report: &Report) -> String {
    let told = report
        .violations
        .iter()
        .map(|violation| format!("\n{violation}"));
    told.collect()
}

pub(crate) fn tick(schedule: &str, tick: i64) -> Tick {
    Tick {
        schedule: schedule.into(),
        tick: Timestamp(tick),
    }
}

pub(crate) fn life(process: u32) -> Life {
    Life {
        process,
        incarnation: 1,
    }
}
