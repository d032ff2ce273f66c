//! One job with all that belongs to it, wherever it stands.

use super::journal::Journal;
use crate::core::{
    Head, InboxContent, InboxItem, Job, JobId, JobNotes, JobSpec, LOG_LIMIT_LINES, LogLine, Nudge,
    Payload, StepOutcome, StepRecord, StoredError, WaitSpec,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Things pinned to a run and not consumed yet. Events beyond that stay in the store, and are
/// matched when the run has consumed some.
pub(super) const INBOX_LIMIT_ITEMS: usize = 1000;

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) spec: JobSpec,
    pub(super) head: Head,
    pub(super) notes: JobNotes,
    pub(super) journal: Journal,
    /// All that was pinned, by `seq`.
    pub(super) inbox: BTreeMap<u64, InboxContent>,
    pub(super) log: VecDeque<LogLine>,
    /// The jobs that shall be told of its end: the parent, and whoever joined it.
    pub(super) told: BTreeSet<JobId>,
}

impl Row {
    pub(super) fn new(spec: JobSpec, head: Head) -> Self {
        let told = spec.parent.iter().map(|parent| parent.job).collect();
        Row {
            spec,
            head,
            notes: JobNotes::default(),
            journal: Journal::default(),
            inbox: BTreeMap::new(),
            log: VecDeque::new(),
            told,
        }
    }

    pub(super) fn job(&self) -> Job {
        Job {
            spec: self.spec.clone(),
            head: self.head.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The records: delivered ones by position, then pending ones by name.
    pub(super) fn records(&self) -> Vec<StepRecord> {
        let mut records: Vec<StepRecord> = self.journal.values().cloned().collect();
        records.sort_by_key(|record| (record.position.is_none(), record.position));
        records
    }

    /// The waits that are registered: pending records that wait for an event.
    pub(super) fn waits(&self) -> impl Iterator<Item = &WaitSpec> {
        self.journal.waits()
    }

    /// What was pinned and no record has consumed.
    pub(super) fn unconsumed(&self) -> impl Iterator<Item = (u64, &InboxContent)> {
        let events: BTreeSet<_> = self.journal.values().filter_map(|r| r.event).collect();
        let children: BTreeSet<_> = self
            .journal
            .values()
            .filter(|record| record.position.is_some())
            .filter_map(|record| record.child)
            .collect();
        self.inbox
            .iter()
            .filter(move |(_, content)| match content {
                InboxContent::Child { job, .. } => !children.contains(job),
                InboxContent::Event { id, .. } => !events.contains(id),
            })
            .map(|(seq, content)| (*seq, content))
    }

    pub(super) fn nudge(&self) -> Nudge {
        Nudge {
            count: self.head.nudge,
            inbox: self
                .unconsumed()
                .map(|(seq, content)| item(seq, content))
                .collect(),
        }
    }

    /// The news for somebody who has seen this nudge.
    pub(super) fn news(&self, seen: u64) -> Option<Nudge> {
        (self.head.nudge > seen).then(|| self.nudge())
    }

    pub(super) fn inbox(&self) -> Vec<InboxItem> {
        self.inbox
            .iter()
            .map(|(seq, content)| item(*seq, content))
            .collect()
    }

    pub(super) fn append_log(&mut self, lines: &[LogLine]) {
        self.log.extend(lines.iter().cloned());
        let surplus = self.log.len().saturating_sub(LOG_LIMIT_LINES);
        self.log.drain(..surplus);
    }

    /// How a parent is told of this job's end; `None` while it lives.
    pub(super) fn outcome(&self) -> Option<StepOutcome> {
        use crate::core::State;
        let error = || self.notes.error.clone().unwrap_or_default();
        match self.head.state {
            State::Pending | State::Running | State::Suspended => None,
            State::Done => {
                let output = self.notes.output.clone();
                // A job that goes on as another run has no output of its own.
                let output = output.unwrap_or_else(|| Payload::json(*b"null"));
                Some(StepOutcome::Done(output))
            }
            State::Failed | State::Dead => Some(StepOutcome::Failed(error())),
            State::Cancelled => Some(StepOutcome::Failed(StoredError::new(
                "X_JOB_CANCELLED",
                format!("job \"{}\" was cancelled", self.spec.name),
            ))),
        }
    }
}

fn item(seq: u64, content: &InboxContent) -> InboxItem {
    InboxItem {
        seq,
        content: content.clone(),
    }
}
