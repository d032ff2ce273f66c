//! What a run decides, told through its own interface: a list of steps asked for side by side
//! stands for the body, and the tests for the executor.

use super::{Ask, Asked, Ended, Next, Replay, Run};
use crate::core::{
    Applied, Commit, Head, Job, JobId, JobNotes, JobSpec, Millis, NewJob, Nudge, OnConflict,
    Payload, Position, Priority, RecordKind, RunId, Settle, StepOutcome, StepRecord, StoredError,
    Timestamp, Token, Visible,
};
use alloc::{
    collections::{BTreeMap, VecDeque},
    format,
    string::{String, ToString},
    vec::Vec,
};

mod children;
mod ends;
mod names;
mod once;
mod order;
mod tx;
mod values;

const NOW: Timestamp = Timestamp(1_000_000);
const HOUR: Millis = Millis::secs(3600);

/// A run and a body that asks for steps side by side.
struct Lease {
    run: Run,
    now: Timestamp,
    asks: VecDeque<(&'static str, Ask)>,
    /// What is asked for as soon as another step is over, in the same poll.
    then: Vec<(&'static str, &'static str, Ask)>,
    asked: Vec<&'static str>,
    /// `start a`, `a = 1`, `a failed`, in the order of happening.
    seen: Vec<String>,
}

fn job(journal: &[StepRecord]) -> Job {
    let spec = JobSpec {
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
    };
    let new = NewJob {
        spec: spec.clone(),
        visible: Visible::Now,
        attempts_max: 3,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    };
    let last = journal.iter().filter_map(|record| record.position).max();
    let head = Head {
        token: Token { epoch: 3, nonce: 7 },
        next_position: last.map_or(Position(0), Position::next),
        ..Head::new(&new, NOW)
    };
    Job {
        spec,
        head,
        notes: JobNotes::default(),
    }
}

impl Lease {
    fn new(journal: &[StepRecord]) -> Self {
        Lease::with(journal, |_| {})
    }

    fn careful(journal: &[StepRecord]) -> Self {
        Lease::with(journal, |replay| replay.careful = true)
    }

    fn with(journal: &[StepRecord], set: impl FnOnce(&mut Replay)) -> Self {
        let mut replay = Replay {
            careful: false,
            removed: &[],
            park_after: Millis::secs(1),
        };
        set(&mut replay);
        let (job, journal) = (job(journal), journal.to_vec());
        Lease {
            run: Run::new(&job, journal, Nudge::default(), NOW, replay),
            now: NOW,
            asks: VecDeque::new(),
            then: Vec::new(),
            asked: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// From its next poll on the body asks for this step too.
    fn want(&mut self, name: &'static str, ask: Ask) -> &mut Self {
        self.asks.push_back((name, ask));
        self
    }

    /// The body asks for `name` in the poll in which it gets the result of `after`.
    fn want_after(&mut self, after: &'static str, name: &'static str, ask: Ask) -> &mut Self {
        self.then.push((after, name, ask));
        self
    }

    /// The body drops the future of this step.
    fn drop_step(&mut self, name: &str) {
        self.asks.retain(|(other, _)| *other != name);
        self.run.forget(name);
    }

    fn poll(&mut self) {
        self.run.begin_poll();
        let mut waiting = VecDeque::new();
        while let Some((name, ask)) = self.asks.pop_front() {
            let first = !self.asked.contains(&name);
            if first {
                self.asked.push(name);
            }
            match self.run.ask(name, &ask, first, self.now) {
                Asked::Ready(outcome) => {
                    self.see(&format!("{name} {}", told(&outcome)));
                    let next = self.then.iter().filter(|(after, ..)| *after == name);
                    self.asks
                        .extend(next.map(|(_, name, ask)| (*name, ask.clone())));
                    continue;
                }
                Asked::Start { tried: 0 } => self.see(&format!("start {name}")),
                Asked::Start { .. } => self.see(&format!("start {name} again")),
                Asked::Expired | Asked::Later | Asked::Running | Asked::Undone(_) => {}
            }
            waiting.push_back((name, ask));
        }
        self.asks = waiting;
    }

    /// Polls and delivers until the run has to wait.
    fn go(&mut self) -> Next {
        loop {
            self.poll();
            self.run.take_woken();
            match self.run.advance(self.now) {
                Next::Poll => {}
                next => return next,
            }
        }
    }

    /// As [`Lease::go`], with a store that takes everything at once.
    fn go_durably(&mut self) -> Next {
        loop {
            let next = self.go();
            let Some(commit) = self.run.take_commit() else {
                return next;
            };
            self.committed(&commit);
        }
    }

    fn committed(&mut self, commit: &Commit) {
        let names = commit.records.iter().map(|record| record.name.as_str());
        let names: Vec<&str> = names.collect();
        let line = format!("stored {}", names.join(" "));
        self.see(&line);
        self.run.committed(Applied::default(), self.now);
    }

    fn see(&mut self, line: &str) {
        self.seen.push(line.into());
    }

    fn finish(&mut self, name: &str) {
        self.run.finish(name, done());
    }

    fn fail(&mut self, name: &str) {
        self.run.finish(name, failed());
    }

    /// Ends the attempt with the error of this step, or with another.
    fn end_with(&mut self, culprit: Option<&str>) -> Commit {
        self.run.close();
        self.run.settle_ended(Ended::Failed {
            error: boom(),
            culprit: culprit.map(ToString::to_string),
            delay: Millis(1),
        })
    }

    fn end_well(&mut self) -> Commit {
        self.run.close();
        self.run.settle_ended(Ended::Done(Payload::json(*b"1")))
    }
}

fn told(outcome: &StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Done(_) => "done",
        StepOutcome::Failed(_) => "failed",
        StepOutcome::Interrupted => "interrupted",
        StepOutcome::TimedOut => "timed out",
    }
}

fn step() -> Ask {
    Ask::Step {
        fingerprint: 7,
        once: false,
        timeout: None,
        tx: false,
    }
}

fn once() -> Ask {
    Ask::Step {
        fingerprint: 7,
        once: true,
        timeout: None,
        tx: false,
    }
}

fn sleep() -> Ask {
    Ask::SleepFor(HOUR)
}

fn boom() -> StoredError {
    StoredError::new("X_BOOM", "it went wrong")
}

fn done() -> StepOutcome {
    StepOutcome::Done(Payload::json(*b"1"))
}

fn failed() -> StepOutcome {
    StepOutcome::Failed(boom())
}

fn record(name: &str, position: u32, outcome: StepOutcome) -> StepRecord {
    StepRecord {
        position: Some(Position(position)),
        outcome: Some(outcome),
        completed_at: Some(NOW),
        attempts: 1,
        ..StepRecord::pending(name, RecordKind::Step, NOW)
    }
}

fn start_of(name: &str) -> StepRecord {
    StepRecord {
        attempts: 1,
        ..StepRecord::pending(name, RecordKind::Step, NOW)
    }
}

/// The journal as a store has it after this commit.
fn stored(journal: &[StepRecord], commit: &Commit) -> Vec<StepRecord> {
    let kept = journal.iter().filter(|record| {
        let is_new = commit.records.iter().any(|new| new.name == record.name);
        !is_new && !commit.removed.contains(&record.name)
    });
    kept.chain(&commit.records).cloned().collect()
}

fn names(records: &[StepRecord]) -> Vec<&str> {
    records.iter().map(|record| record.name.as_str()).collect()
}

fn is_retry(commit: &Commit) -> bool {
    matches!(commit.settle, Some(Settle::Retry { .. }))
}

fn is_fail(commit: &Commit) -> bool {
    matches!(commit.settle, Some(Settle::Fail { .. }))
}
