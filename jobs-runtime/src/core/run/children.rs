//! The children of a run: which are to be enqueued, and how the end of each finds the step that
//! waits for it (R10).
//!
//! A child and the pending record of its step are stored by one commit, so after a crash there are
//! both or neither, and the id in the record is the child's. Everything that becomes of a child
//! comes by the inbox: its end, that it was refused, that a detached one is stored. When it is
//! delivered is decided in `advance`.

use super::{Run, SlotState};
use crate::core::{
    InboxContent, InboxItem, JobId, Mismatch, NewJob, Parent, StepOutcome, StepRecord, StoredError,
    Timestamp,
};
use alloc::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    format,
    string::String,
    vec::Vec,
};

/// Children that one commit enqueues. More would hold up what is stored together with them.
pub(super) const COMMIT_LIMIT_CHILDREN: usize = 250;

/// Inputs of the children that one commit enqueues, in bytes; a larger one goes alone.
pub(super) const COMMIT_LIMIT_CHILD_BYTES: usize = 1024 * 1024;

/// Stands for the type of a detached child's result, which is where the child is.
pub(super) const DETACHED: u64 = 1;

/// What a step waits for: the end of this job, or that a detached one of this id is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    pub(super) job: JobId,
    pub(super) detached: bool,
}

/// A step by the name that the code asks for, and by that of its record, which may be a former one.
#[derive(Debug)]
struct Step {
    name: String,
    record: String,
}

#[derive(Debug, Default)]
pub(super) struct Children {
    /// Asked for and not in any commit yet, by step, in order of asking.
    unsent: VecDeque<(Step, NewJob)>,
    /// Those of the commit in flight, with the ids that were asked for.
    sent: Vec<(Step, JobId)>,
    waiting: BTreeMap<Wanted, BTreeSet<String>>,
    /// What came, by what it is about.
    came: BTreeMap<Wanted, (u64, StepOutcome)>,
    /// The steps whose result came and waits for its delivery, in order of coming.
    ready: BTreeSet<(u64, String, Wanted)>,
}

impl Children {
    /// Takes in what an inbox says of children; gives the rest of it.
    pub(super) fn news(&mut self, inbox: Vec<InboxItem>) -> Vec<InboxItem> {
        let (mut rest, mut news) = (Vec::new(), Vec::new());
        for item in inbox {
            let (job, detached, outcome) = match item.content {
                InboxContent::Child { job, outcome } => (job, false, outcome),
                InboxContent::Detached { job, outcome } => (job, true, outcome),
                InboxContent::Event { .. } => {
                    rest.push(item);
                    continue;
                }
            };
            news.push((Wanted { job, detached }, item.seq, outcome));
        }
        for (wanted, seq, outcome) in news {
            self.came.entry(wanted).or_insert((seq, outcome));
            self.mark_ready(wanted);
        }
        rest
    }

    pub(super) fn wait(&mut self, wanted: Wanted, step: &str) {
        self.waiting.entry(wanted).or_default().insert(step.into());
        self.mark_ready(wanted);
    }

    fn mark_ready(&mut self, wanted: Wanted) {
        if let (Some((seq, _)), Some(steps)) = (self.came.get(&wanted), self.waiting.get(&wanted)) {
            let seq = *seq;
            self.ready
                .extend(steps.iter().map(|step| (seq, step.clone(), wanted)));
        }
    }

    /// The step no longer waits.
    fn stop(&mut self, wanted: Wanted, step: &str) {
        if let Some(steps) = self.waiting.get_mut(&wanted) {
            steps.remove(step);
            if steps.is_empty() {
                self.waiting.remove(&wanted);
            }
        }
        if let Some((seq, _)) = self.came.get(&wanted) {
            self.ready.remove(&(*seq, step.into(), wanted));
        }
    }

    /// A job was joined: what came of it before is not its end any more, because a person may have
    /// revived it since. If it has ended for good, that comes with the answer to the joining.
    fn forget_end(&mut self, wanted: Wanted) {
        self.came.remove(&wanted);
        self.ready.retain(|(_, _, other)| *other != wanted);
    }

    /// The next result of a child, and the step that waits for it.
    pub(super) fn next(&mut self) -> Option<(String, StepOutcome)> {
        let (_, step, wanted) = self.ready.pop_first()?;
        let outcome = self.came.get(&wanted).map(|(_, outcome)| outcome.clone());
        self.stop(wanted, &step);
        outcome.map(|outcome| (step, outcome))
    }

    /// How many of the unsent fit into one commit.
    fn fitting(&self) -> usize {
        let mut bytes = 0_usize;
        let fits = |(_, job): &&(Step, NewJob)| {
            bytes = bytes.saturating_add(job.spec.input.bytes.len());
            bytes <= COMMIT_LIMIT_CHILD_BYTES
        };
        let most = self.unsent.iter().take(COMMIT_LIMIT_CHILDREN);
        most.take_while(fits).count().max(1).min(self.unsent.len())
    }

    /// Whether the commit that parks the run can carry what is unsent. A detached child goes
    /// before it: the run wants to know of it at once.
    pub(super) fn can_go_with_the_park(&self) -> bool {
        self.fitting() == self.unsent.len()
            && self.unsent.iter().all(|(_, job)| job.spec.parent.is_some())
    }

    /// Takes as many of the unsent as fit into one commit.
    pub(super) fn take(&mut self) -> Vec<NewJob> {
        let fitting = self.fitting();
        let (sent, jobs) = self
            .unsent
            .drain(..fitting)
            .map(|(step, job)| ((step, job.spec.id), job))
            .unzip();
        self.sent = sent;
        jobs
    }

    /// Takes back what a refused commit carried.
    pub(super) fn put_back(&mut self, jobs: Vec<NewJob>) {
        let steps = ::core::mem::take(&mut self.sent).into_iter();
        let back: Vec<_> = steps.map(|(step, _)| step).zip(jobs).collect();
        for unsent in back.into_iter().rev() {
            self.unsent.push_front(unsent);
        }
    }

    pub(super) fn are_awaited(&self) -> bool {
        !self.waiting.is_empty()
    }
}

impl Run {
    /// Enqueues the child of a step that was told to start. The job's id is its caller's; its
    /// parent is set here, unless the child is detached.
    pub fn enqueue_child(&mut self, name: &str, mut job: NewJob, now: Timestamp) {
        let Some(slot) = self.slots.get_mut(name) else {
            return;
        };
        slot.record.child = Some(job.spec.id);
        slot.record.attempts += 1;
        slot.record.started_at = now;
        slot.state = SlotState::Suspended;
        job.spec.parent = (!slot.detached).then(|| Parent {
            job: self.job,
            run: self.run,
            step: slot.record.name.clone(),
        });
        let wanted = Wanted {
            job: job.spec.id,
            detached: slot.detached,
        };
        let step = Step {
            name: name.into(),
            record: slot.record.name.clone(),
        };
        let record = slot.record.clone();
        self.live.enter(slot);
        self.save(record);
        self.children.wait(wanted, name);
        self.children.unsent.push_back((step, job));
    }

    /// Says that the child of a step that was told to start cannot even be asked for.
    pub fn refuse_child(&mut self, name: &str, error: StoredError, now: Timestamp) {
        let Some(slot) = self.slots.get_mut(name) else {
            return;
        };
        slot.record.attempts += 1;
        slot.record.started_at = now;
        slot.state = SlotState::Finished(StepOutcome::Failed(error));
        self.finished.push_back(name.into());
    }

    /// The future of a child's step was dropped. True if nothing of the child is stored, nor on
    /// its way.
    pub(super) fn forget_child(&mut self, name: &str) -> bool {
        let Some(slot) = self.slots.get(name) else {
            return false;
        };
        let Some(job) = slot.record.child else {
            return false;
        };
        let detached = slot.detached;
        self.children.stop(Wanted { job, detached }, name);
        let before = self.children.unsent.len();
        self.children.unsent.retain(|(step, _)| step.name != name);
        self.children.unsent.len() < before
    }

    /// The lease ends otherwise than by waiting: what was only asked for is not enqueued any more.
    pub(super) fn drop_unsent_children(&mut self) {
        for (step, _) in ::core::mem::take(&mut self.children.unsent) {
            self.dirty.remove(&step.record);
        }
    }

    /// The records for the next commit. That of a child goes with it, be it in a later one.
    pub(super) fn records_without_unsent_children(&mut self) -> Vec<StepRecord> {
        let mut records = ::core::mem::take(&mut self.dirty);
        for (step, _) in &self.children.unsent {
            if let Some((name, record)) = records.remove_entry(&step.record) {
                self.dirty.insert(name, record);
            }
        }
        records.into_values().collect()
    }

    /// Learns which jobs the children of the stored commit are: another one where it held the key.
    pub(super) fn children_stored(&mut self, stored: &[JobId]) {
        let sent = ::core::mem::take(&mut self.children.sent);
        for ((step, asked), job) in sent.into_iter().zip(stored) {
            let Some(slot) = self.slots.get_mut(&step.name) else {
                continue;
            };
            if slot.detached || asked == *job || slot.record.child != Some(asked) {
                continue;
            }
            slot.record.child = Some(*job);
            self.children.forget_end((*job).into());
            let is_waiting = slot.state == SlotState::Suspended;
            self.children.stop(asked.into(), &step.name);
            if is_waiting {
                self.children.wait((*job).into(), &step.name);
            }
        }
    }
}

impl From<JobId> for Wanted {
    /// The end of a job.
    fn from(job: JobId) -> Self {
        Wanted {
            job,
            detached: false,
        }
    }
}

/// The code has changed its mind about a recorded child.
pub(super) fn detached_or_not(step: &str, detached: bool) -> Mismatch {
    let (recorded, asked) = if detached {
        ("waits for the end of its child", "detaches it")
    } else {
        ("is detached from its child", "waits for its end")
    };
    Mismatch::Output {
        step: step.into(),
        reason: format!("the recorded step {recorded}, and the code now {asked}"),
    }
}
