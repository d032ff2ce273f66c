//! One job with all that belongs to it, wherever it stands.

use super::journal::Journal;
use crate::core::{
    Head, InboxContent, InboxItem, Job, JobId, JobNotes, JobSpec, LOG_LIMIT_LINES, LogLine, Nudge,
    StepOutcome, StepRecord, WaitSpec, child_outcome,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
        let (mut heard, mut awaited) = (BTreeSet::new(), BTreeSet::new());
        for record in self.journal.values() {
            if let Some(child) = record.child {
                let place = match record.position {
                    Some(_) => &mut heard,
                    None => &mut awaited,
                };
                place.insert(child);
            }
        }
        self.inbox
            .iter()
            .filter(move |(_, content)| match content {
                // Several steps may wait for one job.
                InboxContent::Child { job, .. } | InboxContent::Detached { job, .. } => {
                    awaited.contains(job) || !heard.contains(job)
                }
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
        child_outcome(&self.spec, &self.head, &self.notes)
    }

    /// The children whose ends are waited for: those of pending records.
    pub(super) fn awaited(&self) -> impl Iterator<Item = JobId> {
        self.journal
            .values()
            .filter(|record| record.position.is_none())
            .filter_map(|record| record.child)
    }
}

fn item(seq: u64, content: &InboxContent) -> InboxItem {
    InboxItem {
        seq,
        content: content.clone(),
    }
}
