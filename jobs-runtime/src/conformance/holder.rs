//! A lease in the hands of a case: it numbers its commits as a worker does.

use super::shapes::done;
use super::{Failure, Result};
use crate::contract::{Beat, Claimed};
use crate::core::{
    Commit, CommitNumber, InboxContent, InboxItem, JobId, Millis, Payload, Position, RecordKind,
    Settle, StepOutcome, StepRecord, StoredError, Timestamp, Trace,
};

/// Who holds a lease. Clones go on from the same number, as a zombie would.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    pub(super) claimed: Claimed,
    number: u64,
    base: Position,
    next: Position,
    pub(super) seen_nudge: u64,
}

impl Holder {
    pub(super) fn new(claimed: Claimed) -> Self {
        let next = claimed.job.head.next_position;
        Holder {
            number: 0,
            base: next,
            next,
            seen_nudge: claimed.nudge.count,
            claimed,
        }
    }

    pub(super) fn id(&self) -> JobId {
        self.claimed.job.spec.id
    }

    pub(super) fn until(&self) -> Timestamp {
        self.claimed.job.head.visible_at.unwrap_or_default()
    }

    pub(super) fn step_names(&self) -> Vec<&str> {
        let records = self.claimed.journal.iter();
        records.map(|record| record.name.as_str()).collect()
    }

    /// The payloads of the events that came with the claim.
    pub(super) fn inbox(&self) -> Vec<Vec<u8>> {
        payloads(&self.claimed.nudge.inbox)
    }

    pub(super) fn beat(&self, timeout: Millis) -> Beat {
        Beat {
            job: self.id(),
            token: self.claimed.job.head.token,
            visibility_timeout: timeout,
            seen_nudge: self.seen_nudge,
        }
    }

    /// A delivered step, at the next position.
    pub(super) fn step(&mut self, name: &str, bytes: impl Into<Vec<u8>>) -> StepRecord {
        let from = StepRecord::pending(name, RecordKind::Step, self.claimed.job.head.enqueued_at);
        self.deliver(from, done(bytes))
    }

    /// A record delivered at the next position.
    pub(super) fn deliver(&mut self, record: StepRecord, outcome: StepOutcome) -> StepRecord {
        let position = self.next;
        self.next = position.next();
        StepRecord {
            position: Some(position),
            outcome: Some(outcome),
            attempts: record.attempts + 1,
            completed_at: Some(record.started_at),
            ..record
        }
    }

    /// An event wait, delivered with the first event of the inbox.
    pub(super) fn deliver_event(
        &mut self,
        wait: StepRecord,
        inbox: &[InboxItem],
    ) -> Result<StepRecord> {
        let Some(InboxContent::Event { id, payload, .. }) = inbox.first().map(|i| &i.content)
        else {
            return Err(Failure::here(format!("no event in the inbox: {inbox:?}")));
        };
        let record = self.deliver(wait, StepOutcome::Done(payload.clone()));
        Ok(StepRecord {
            event: Some(*id),
            ..record
        })
    }

    /// The next commit of this lease, of these records.
    pub(super) fn steps(&mut self, records: Vec<StepRecord>) -> Commit {
        self.number += 1;
        let base = std::mem::replace(&mut self.base, self.next);
        let job = &self.claimed.job;
        let number = CommitNumber {
            token: job.head.token,
            number: self.number,
        };
        Commit::steps(
            job.spec.id,
            job.spec.run_id,
            number,
            base,
            self.seen_nudge,
            records,
        )
    }

    /// The next commit of this lease, which settles the job.
    pub(super) fn settle(&mut self, settle: Settle) -> Commit {
        self.steps(Vec::new()).settling(settle, Trace::default())
    }

    pub(super) fn ack(&mut self, bytes: impl Into<Vec<u8>>) -> Commit {
        let output = Payload::json(bytes);
        self.settle(Settle::Ack { output })
    }

    pub(super) fn retry(&mut self, delay: Millis, error: StoredError) -> Commit {
        self.settle(Settle::Retry { delay, error })
    }

    /// The next commit of this lease, which parks the run with these records.
    pub(super) fn park(&mut self, records: Vec<StepRecord>, wake_at: Option<Timestamp>) -> Commit {
        self.steps(records)
            .settling(Settle::Suspend { wake_at }, Trace::default())
    }

    /// Says that the last commit was refused: its number is free again.
    pub(super) fn take_back(&mut self) {
        self.number -= 1;
    }
}

/// The payloads of the events in an inbox, in its order.
pub(super) fn payloads(inbox: &[InboxItem]) -> Vec<Vec<u8>> {
    inbox
        .iter()
        .filter_map(|item| match &item.content {
            InboxContent::Event { payload, .. } => Some(payload.bytes.clone()),
            InboxContent::Child { .. } | InboxContent::Detached { .. } => None,
        })
        .collect()
}
