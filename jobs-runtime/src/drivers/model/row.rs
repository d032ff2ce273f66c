//! One job with all that belongs to it, wherever it stands.

use super::journal::Journal;
use crate::core::{
    Head, InboxContent, InboxItem, Job, JobId, JobNotes, JobSpec, LOG_LIMIT_LINES, LogLine, Nudge,
    StepOutcome, StepRecord, WaitSpec, child_outcome,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) spec: JobSpec,
    pub(crate) head: Head,
    pub(crate) notes: JobNotes,
    pub(crate) journal: Journal,
    /// All that was pinned, by `seq`.
    pub(crate) inbox: BTreeMap<u64, InboxContent>,
    pub(crate) log: VecDeque<LogLine>,
    /// The jobs that shall be told of its end: the parent, and whoever joined it.
    pub(crate) told: BTreeSet<JobId>,
}

impl Row {
    pub(crate) fn new(spec: JobSpec, head: Head) -> Self {
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

    /// A row as it was loaded, of which nothing else is known yet.
    pub(crate) fn loaded(spec: JobSpec, head: Head, notes: JobNotes) -> Self {
        Row {
            notes,
            told: BTreeSet::new(),
            ..Row::new(spec, head)
        }
    }

    pub(crate) fn job(&self) -> Job {
        Job {
            spec: self.spec.clone(),
            head: self.head.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The records: delivered ones by position, then pending ones by name.
    pub(crate) fn records(&self) -> Vec<StepRecord> {
        let mut records: Vec<StepRecord> = self.journal.values().cloned().collect();
        records.sort_by_key(|record| (record.position.is_none(), record.position));
        records
    }

    /// The waits that are registered: pending records that wait for an event.
    pub(crate) fn waits(&self) -> impl Iterator<Item = &WaitSpec> {
        self.journal.waits()
    }

    /// What was pinned and no record has consumed.
    pub(crate) fn unconsumed(&self) -> impl Iterator<Item = (u64, &InboxContent)> {
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

    pub(crate) fn nudge(&self) -> Nudge {
        Nudge {
            count: self.head.nudge,
            inbox: self
                .unconsumed()
                .map(|(seq, content)| item(seq, content))
                .collect(),
        }
    }

    /// The news for somebody who has seen this nudge.
    pub(crate) fn news(&self, seen: u64) -> Option<Nudge> {
        (self.head.nudge > seen).then(|| self.nudge())
    }

    pub(crate) fn inbox(&self) -> Vec<InboxItem> {
        self.inbox
            .iter()
            .map(|(seq, content)| item(*seq, content))
            .collect()
    }

    pub(crate) fn append_log(&mut self, lines: &[LogLine]) {
        self.log.extend(lines.iter().cloned());
        let surplus = self.log.len().saturating_sub(LOG_LIMIT_LINES);
        self.log.drain(..surplus);
    }

    /// How a parent is told of this job's end; `None` while it lives.
    pub(crate) fn outcome(&self) -> Option<StepOutcome> {
        child_outcome(&self.spec, &self.head, &self.notes)
    }

    /// The children whose ends are waited for: those of pending records.
    pub(crate) fn awaited(&self) -> impl Iterator<Item = JobId> {
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
