//! What a run that goes on as another leaves to it: the events it has not consumed, and how far it
//! has come with those that it has.
//!
//! The runs of a chain are one consumer of events. Their journals do not outlive retention, so what
//! they have consumed is kept as a mark for each name and key. That is exact: a wait takes the
//! earliest event of its name and key, so whatever lies under the mark was consumed, or is pinned
//! and goes along, or was passed over by a wait that asked for later ones only.

use super::{EventId, Head, InboxContent, InboxItem, JobSpec, RunId, StepRecord, Timestamp};
use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    vec::Vec,
};
use serde::{Deserialize, Serialize};

/// The chain that a run belongs to, if another run went on as this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Its first run.
    pub run: RunId,
    /// When the first run was enqueued: waits take events from then on.
    pub since: Timestamp,
}

impl Chain {
    /// The chain of a run that goes on.
    #[must_use]
    pub fn of(spec: &JobSpec, head: &Head) -> Self {
        spec.chain.unwrap_or(Chain {
            run: spec.run_id,
            since: head.enqueued_at,
        })
    }
}

/// Where the marks of a chain stand: the name of an event and the key of the waits that took it,
/// or none for waits without a key.
pub type MarkKey = (String, Option<String>);

/// Takes out of the inbox of a run that ends the events that no record has consumed.
#[must_use]
pub fn unconsumed<'r>(
    records: impl Iterator<Item = &'r StepRecord>,
    inbox: &mut Vec<InboxItem>,
) -> Vec<InboxItem> {
    let consumed: BTreeSet<EventId> = records.filter_map(|record| record.event).collect();
    let goes = |item: &mut InboxItem| match &item.content {
        InboxContent::Event { id, .. } => !consumed.contains(id),
        InboxContent::Child { .. } | InboxContent::Detached { .. } => false,
    };
    inbox.extract_if(.., goes).collect()
}

/// The last publication of each kind of wait that a run has consumed.
#[must_use]
pub fn marks<'r>(
    records: impl Iterator<Item = &'r StepRecord>,
    inbox: &[InboxItem],
) -> BTreeMap<MarkKey, u64> {
    let keys: BTreeMap<EventId, Option<&str>> = records
        .filter_map(|record| {
            let wait = record.wait.as_ref();
            Some((record.event?, wait.and_then(|wait| wait.key.as_deref())))
        })
        .collect();
    let mut marks = BTreeMap::new();
    for item in inbox {
        if let InboxContent::Event { id, name, .. } = &item.content
            && let Some(key) = keys.get(id)
        {
            let place = (name.clone(), key.map(Into::into));
            let mark: &mut u64 = marks.entry(place).or_default();
            *mark = item.seq.max(*mark);
        }
    }
    marks
}

/// Whether events go along from a run of one tenant to the next: those of another are not for it.
#[must_use]
pub fn goes_along(before: Option<&str>, after: Option<&str>) -> bool {
    before == after
}
