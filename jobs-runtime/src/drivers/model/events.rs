//! Events and waits: whichever comes second finds the first (R5).

use super::lacks::{Known, Need, Part, Wanted};
use super::row::Row;
use super::store::{EventRow, Store};
use crate::contract::{Published, StoredEvent};
use crate::core::{self, EventId, InboxContent, JobId, NewEvent, Timestamp, WaitSpec};
use crate::torture::seeded;
use std::collections::BTreeSet;

impl Store {
    /// Stores an event and pins it to every run that waits for it.
    pub(crate) fn publish(&mut self, event: &NewEvent, now: Timestamp) -> Published {
        if let Some(known) = self.known(event.id) {
            return known;
        }
        let seq = self.next_seq();
        if seeded::swallows(event.id) {
            let (id, woken) = (event.id, 0);
            return Published { id, seq, woken };
        }
        let stored = StoredEvent {
            id: event.id,
            seq,
            name: event.name.clone(),
            key: event.key.clone(),
            tenant: event.tenant.clone(),
            payload: event.payload.clone(),
            published_at: now,
            expires_at: now.after(event.ttl),
        };
        let mut woken = 0;
        for job in self.waiting_for(&stored) {
            woken += u64::from(self.pin(job, stored.seq, content(&stored), now));
        }
        let published = Published {
            id: stored.id,
            seq: stored.seq,
            woken,
        };
        if let Some(known) = &mut self.known {
            known.add_fresh(stored.seq);
        }
        self.event_ids.insert(stored.id, stored.seq);
        self.events.insert(
            stored.seq,
            EventRow {
                event: stored,
                woken,
            },
        );
        published
    }

    fn known(&self, id: EventId) -> Option<Published> {
        self.needs(|| Need::Event(id));
        let seq = *self.event_ids.get(&id)?;
        let woken = self.events.get(&seq).map_or(0, |row| row.woken);
        Some(Published { id, seq, woken })
    }

    /// The runs with a registered wait that this event serves and nothing pinned does.
    fn waiting_for(&self, event: &StoredEvent) -> Vec<JobId> {
        let any_key = (event.name.clone(), None);
        let own_key = (event.name.clone(), event.key.clone());
        let mut jobs: BTreeSet<JobId> = BTreeSet::new();
        for key in [any_key, own_key] {
            self.needs(|| Need::Waits(key.clone()));
            jobs.extend(self.waits.get(&key).into_iter().flatten());
        }
        jobs.retain(|id| {
            self.alive(*id).is_some_and(|row| {
                self.needs_part(*id, Part::News);
                accepts(row, event)
                    && core::unserved(row.waits(), row.unconsumed())
                        .iter()
                        .any(|wait| serves(wait, event))
            })
        });
        jobs.into_iter().collect()
    }

    /// A working set does not know all that a run has consumed: of the events that it did not
    /// store itself, it knows which may serve whom.
    fn may_serve(&self, job: JobId, event: &StoredEvent) -> bool {
        let is_candidate = |known: &Known| known.is_candidate(job, event.seq);
        self.known.as_ref().is_none_or(is_candidate)
    }

    /// Pins stored events to the registered waits of a run that nothing pinned serves yet.
    pub(crate) fn match_stored(&mut self, id: JobId, now: Timestamp) {
        let Some(row) = self.alive(id) else {
            return;
        };
        self.needs_part(id, Part::Pending);
        if row.waits().next().is_some() {
            self.needs_part(id, Part::News);
        }
        let mut taken: BTreeSet<u64> = BTreeSet::new();
        let mut found: Vec<u64> = Vec::new();
        for wait in core::unserved(row.waits(), row.unconsumed()) {
            if let Some(event) = self.earliest(row, wait, &taken, now) {
                taken.insert(event.seq);
                found.push(event.seq);
            }
        }
        for seq in found {
            if let Some(content) = self.events.get(&seq).map(|row| content(&row.event)) {
                self.pin(id, seq, content, now);
            }
        }
    }

    /// The earliest stored event for a wait that its run does not know yet.
    fn earliest(
        &self,
        row: &Row,
        wait: &WaitSpec,
        taken: &BTreeSet<u64>,
        now: Timestamp,
    ) -> Option<&StoredEvent> {
        let waits = row.waits().count();
        self.needs(|| Need::Events(row.spec.id, Wanted::by(wait, waits, row.spec.chain)));
        let chain = self.marks.of(row);
        let later = self.events.range(chain.past(wait)..);
        later.map(|(_, row)| &row.event).find(|event| {
            !taken.contains(&event.seq)
                && event.expires_at > now
                && serves(wait, event)
                && accepts(row, event)
                && !chain.has_consumed(event)
                && self.may_serve(row.spec.id, event)
        })
    }
}

/// Whether an event may be pinned to a run at all: of its tenant, and not known to it.
fn accepts(row: &Row, event: &StoredEvent) -> bool {
    let tenant = event.tenant.is_none() || event.tenant == row.spec.tenant;
    let known = row.inbox.contains_key(&event.seq)
        || row
            .journal
            .values()
            .any(|record| record.event == Some(event.id));
    tenant && !known
}

fn serves(wait: &WaitSpec, event: &StoredEvent) -> bool {
    wait.matches(&event.name, event.key.as_deref(), event.published_at)
}

fn content(event: &StoredEvent) -> InboxContent {
    InboxContent::Event {
        id: event.id,
        name: event.name.clone(),
        key: event.key.clone(),
        payload: event.payload.clone(),
        published_at: event.published_at,
    }
}
