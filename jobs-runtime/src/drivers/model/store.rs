//! The maps, and the two moves by which every change of a row goes through them.

use super::chain::Marks;
use super::lacks::{Known, Need, Part};
use super::lanes::Lanes;
use super::replaced::Replaced;
use super::row::Row;
use crate::contract::{Setting, StoredEvent, WakeUp};
use crate::core::{
    EventId, Group, InboxContent, JobId, Millis, Pace, Priority, RunId, State, StoredError,
    Timestamp, Turn, nudged, passed_until, released,
};
use crate::torture::Bug;
use crate::torture::seeded::seeded;
use std::collections::{BTreeMap, BTreeSet};

/// What a key belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyHold {
    pub(crate) job: JobId,
    pub(crate) run: RunId,
    /// Until when the key is kept beyond the end of its job.
    pub(crate) until: Option<Timestamp>,
    /// For how long each run that gets the key keeps it, if it is throttled.
    pub(crate) span: Option<Millis>,
    /// The job that follows when this one has ended.
    pub(crate) next: Option<Follower>,
}

/// A job that gets the key when its holder has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Follower {
    pub(crate) job: JobId,
    pub(crate) run: RunId,
    /// It does not run before this instant.
    pub(crate) from: Timestamp,
}

#[derive(Clone, Debug)]
pub(crate) struct EventRow {
    pub(crate) event: StoredEvent,
    /// Runs that it was pinned to when it was published.
    pub(crate) woken: u64,
}

/// A wait's name and key, as it is looked up; `None` takes any key.
pub(crate) type WaitKey = (String, Option<String>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    /// What a working set holds; a store with everything in it has none.
    pub(crate) known: Option<Known>,
    /// Rows are large and move with every change of theirs: what moves is a pointer.
    pub(crate) live: BTreeMap<JobId, Box<Row>>,
    pub(crate) archive: BTreeMap<JobId, Box<Row>>,
    pub(crate) dead: BTreeMap<JobId, Box<Row>>,
    /// Dead letters by queue, so that stats need not count them.
    pub(crate) dead_by_queue: BTreeMap<String, u64>,
    pub(crate) lanes: Lanes,
    /// Whose turn it is, by queue and priority.
    pub(crate) turns: BTreeMap<(String, Priority), Turn>,
    /// Where the rates stand.
    pub(crate) paces: BTreeMap<Group, Pace>,
    pub(crate) waits: BTreeMap<WaitKey, BTreeSet<JobId>>,
    /// Live children by the parent that owns them.
    pub(crate) owned: BTreeMap<JobId, BTreeSet<JobId>>,
    /// By scope and key.
    pub(crate) keys: BTreeMap<(String, String), KeyHold>,
    pub(crate) replaced: Replaced,
    pub(crate) runs: BTreeMap<RunId, JobId>,
    pub(crate) events: BTreeMap<u64, EventRow>,
    pub(crate) event_ids: BTreeMap<EventId, u64>,
    pub(crate) marks: Marks,
    /// The order of publication; ends of children share it.
    pub(crate) last_seq: u64,
    pub(crate) settings: BTreeMap<String, Setting>,
    /// The last revision of any setting: one that is removed and made again gets a new one.
    pub(crate) last_revision: u64,
    hints: BTreeSet<Hint>,
    closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hint {
    Ended,
    Freed,
    Inbox,
    Ready,
}

impl Store {
    /// A store that is filled with what it is found to lack.
    pub(crate) fn working_set() -> Self {
        Store {
            known: Some(Known::default()),
            ..Store::default()
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn close(&mut self) {
        *self = Store {
            closed: true,
            ..Store::default()
        };
    }

    pub(crate) fn hint(&mut self, hint: Hint) {
        self.hints.insert(hint);
    }

    pub(crate) fn take_hints(&mut self) -> Vec<WakeUp> {
        let hints = std::mem::take(&mut self.hints);
        hints
            .into_iter()
            .map(|hint| match hint {
                Hint::Ended => WakeUp::Ended,
                Hint::Freed => WakeUp::Freed,
                Hint::Inbox => WakeUp::Inbox,
                Hint::Ready => WakeUp::Ready,
            })
            .collect()
    }

    /// Notes what is looked for, if this is a working set.
    pub(crate) fn needs(&self, need: impl FnOnce() -> Need) {
        if let Some(known) = &self.known {
            known.ask(need());
        }
    }

    pub(crate) fn needs_part(&self, id: JobId, part: Part) {
        self.needs(|| Need::Part(id, part));
    }

    pub(crate) fn next_seq(&mut self) -> u64 {
        if let Some(known) = &mut self.known {
            return known.draw();
        }
        self.last_seq += 1;
        self.last_seq
    }

    pub(crate) fn next_revision(&mut self) -> u64 {
        if let Some(known) = &mut self.known {
            return known.draw();
        }
        self.last_revision += 1;
        self.last_revision
    }

    /// The row, wherever it stands.
    pub(crate) fn find(&self, id: JobId) -> Option<&Row> {
        self.needs(|| Need::Job(id));
        self.held(id)
    }

    /// All rows, wherever they stand.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        let places = [&self.live, &self.archive, &self.dead];
        places
            .into_iter()
            .flat_map(|place| place.values().map(Box::as_ref))
    }

    /// The row, wherever it stands, for whoever fills a working set or stores it.
    pub(crate) fn held(&self, id: JobId) -> Option<&Row> {
        let places = [&self.live, &self.archive, &self.dead];
        places
            .into_iter()
            .find_map(|place| place.get(&id))
            .map(Box::as_ref)
    }

    pub(crate) fn holds(&self, id: JobId) -> bool {
        self.held(id).is_some()
    }

    /// The row, wherever it stands, to add to what is no index's.
    pub(crate) fn find_mut(&mut self, id: JobId) -> Option<&mut Row> {
        self.live
            .get_mut(&id)
            .or_else(|| self.archive.get_mut(&id))
            .or_else(|| self.dead.get_mut(&id))
            .map(Box::as_mut)
    }

    /// The row of a live job.
    pub(crate) fn alive(&self, id: JobId) -> Option<&Row> {
        self.needs(|| Need::Job(id));
        self.live.get(&id).map(Box::as_ref)
    }

    /// Takes a row out of its place and of every index.
    pub(crate) fn take(&mut self, id: JobId) -> Option<Box<Row>> {
        self.needs(|| Need::Job(id));
        if let Some(row) = self.live.remove(&id) {
            self.lanes.remove(&row);
            if let Some(parent) = &row.spec.parent
                && let Some(children) = self.owned.get_mut(&parent.job)
            {
                children.remove(&id);
                if children.is_empty() {
                    self.owned.remove(&parent.job);
                }
            }
            for key in wait_keys(&row) {
                if let Some(jobs) = self.waits.get_mut(&key) {
                    jobs.remove(&id);
                    if jobs.is_empty() {
                        self.waits.remove(&key);
                    }
                }
            }
            return Some(row);
        }
        if let Some(row) = self.dead.remove(&id) {
            if let Some(count) = self.dead_by_queue.get_mut(&row.spec.queue) {
                *count -= 1;
                if *count == 0 {
                    self.dead_by_queue.remove(&row.spec.queue);
                }
            }
            return Some(row);
        }
        self.archive.remove(&id)
    }

    /// Puts a row where its state belongs.
    pub(crate) fn put(&mut self, row: Box<Row>) {
        let id = row.spec.id;
        match row.head.state {
            State::Pending | State::Running | State::Suspended => {
                self.lanes.insert(&row);
                if let Some(parent) = &row.spec.parent {
                    self.owned.entry(parent.job).or_default().insert(id);
                }
                for key in wait_keys(&row) {
                    self.waits.entry(key).or_default().insert(id);
                }
                self.live.insert(id, row);
            }
            State::Dead => {
                *self
                    .dead_by_queue
                    .entry(row.spec.queue.clone())
                    .or_default() += 1;
                self.dead.insert(id, row);
            }
            State::Cancelled | State::Done | State::Failed => {
                self.archive.insert(id, row);
            }
        }
    }

    /// Puts back a row that has just ended: its key is free, and whoever asked hears of it.
    pub(crate) fn put_ended(
        &mut self,
        mut row: Box<Row>,
        error: Option<StoredError>,
        now: Timestamp,
    ) {
        if error.is_some() {
            row.notes.error = error;
        }
        self.needs_part(row.spec.id, Part::Told);
        self.release_key(&row, now, now);
        self.mark(&row);
        let told = std::mem::take(&mut row.told);
        let outcome = row.outcome();
        let child = row.spec.id;
        self.put(row);
        self.hint(Hint::Ended);
        let Some(outcome) = outcome else { return };
        for parent in told {
            let seq = self.next_seq();
            let content = InboxContent::Child {
                job: child,
                outcome: outcome.clone(),
            };
            self.pin(parent, seq, content, now);
        }
    }

    /// Puts something into the inbox of a live run. False if there is none.
    pub(crate) fn pin(
        &mut self,
        id: JobId,
        seq: u64,
        content: InboxContent,
        now: Timestamp,
    ) -> bool {
        if self.alive(id).is_none() {
            return false;
        }
        let Some(mut row) = self.take(id) else {
            return false;
        };
        row.head = nudged(&row.head, now);
        row.inbox.insert(seq, content);
        if row.head.state == State::Suspended {
            self.hint(Hint::Ready);
        }
        self.put(row);
        self.hint(Hint::Inbox);
        true
    }

    /// Who holds a key at `now`: a live job, or an ended one whose time with it is not over.
    pub(crate) fn holder(&self, scope: &str, key: &str, now: Timestamp) -> Option<&KeyHold> {
        let entry = (scope.to_owned(), key.to_owned());
        self.needs(|| Need::Key(entry.0.clone(), entry.1.clone()));
        let hold = self.keys.get(&entry)?;
        let held = self.alive(hold.job).is_some() || hold.until.is_some_and(|until| until > now);
        held.then_some(hold)
    }

    /// Frees the key of a job that ends, if it is the job's own and not kept beyond `kept`. A job
    /// that follows gets it, and may run.
    pub(crate) fn release_key(&mut self, row: &Row, kept: Timestamp, now: Timestamp) {
        let Some(key) = &row.spec.key else { return };
        let entry = (row.spec.scope.clone(), key.clone());
        self.needs(|| Need::Key(entry.0.clone(), entry.1.clone()));
        let Some(hold) = self.keys.get_mut(&entry) else {
            return;
        };
        if hold.job != row.spec.id {
            // A follower that ends before its turn leaves its place.
            hold.next = hold.next.filter(|next| next.job != row.spec.id);
            if seeded(Bug::KeyFreed) {
                self.keys.remove(&entry);
            }
            return;
        }
        if let Some(next) = hold.next.take() {
            (hold.job, hold.run) = (next.job, next.run);
            hold.until = hold.until.max(passed_until(hold.span, next.from, now));
            if let Some(mut row) = self.take(next.job) {
                row.head = released(&row.head, next.from, now);
                self.put(row);
                self.hint(Hint::Ready);
            }
        } else if hold.until.is_none_or(|until| until <= kept) {
            self.keys.remove(&entry);
        }
    }
}

/// What a row's registered waits are found by.
fn wait_keys(row: &Row) -> Vec<WaitKey> {
    row.waits()
        .flat_map(|wait| {
            wait.names
                .iter()
                .map(|name| (name.clone(), wait.key.clone()))
        })
        .collect()
}
