//! Events, the waits for them, and the inbox in which both meet.

use super::{EventId, JobId, Millis, Payload, StepOutcome, Timestamp};
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// An event about to be published. The id is made by the client, so that a retry after a lost
/// reply stores it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Who it is.
    pub id: EventId,
    /// Its durable name.
    pub name: String,
    /// The rendered correlation key; `None` for an event without one.
    pub key: Option<String>,
    /// Whose event it is; only runs of that tenant see it.
    pub tenant: Option<String>,
    /// What it says.
    pub payload: Payload,
    /// How long it can be matched.
    pub ttl: Millis,
    /// W3C trace context of the publisher.
    pub trace_context: Option<String>,
}

/// What a waiting step waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSpec {
    /// The event's durable name and its former names.
    pub names: Vec<String>,
    /// The rendered key it must carry; `None` takes any event of the name.
    pub key: Option<String>,
    /// The earliest publication that counts; ties count.
    pub since: Timestamp,
}

impl WaitSpec {
    /// Whether an event of this name, key and publication time serves the wait.
    #[must_use]
    pub fn matches(&self, name: &str, key: Option<&str>, published_at: Timestamp) -> bool {
        self.names.iter().any(|own| own == name)
            && self.key.as_deref().is_none_or(|own| Some(own) == key)
            && published_at >= self.since
    }

    /// Whether what was pinned to a run serves this wait.
    #[must_use]
    pub fn is_served_by(&self, content: &InboxContent) -> bool {
        match content {
            InboxContent::Child { .. } | InboxContent::Detached { .. } => false,
            InboxContent::Event {
                name,
                key,
                published_at,
                ..
            } => self.matches(name, key.as_deref(), *published_at),
        }
    }
}

/// The waits of a run that nothing of what is pinned to it serves: only those get an event more.
/// One that is served leaves later events in the store, so that none of them goes before one that
/// was stored earlier. Waits with a key choose first, because others take any.
pub fn unserved<'a>(
    waits: impl Iterator<Item = &'a WaitSpec>,
    pinned: impl Iterator<Item = (u64, &'a InboxContent)>,
) -> Vec<&'a WaitSpec> {
    let mut waits: Vec<&WaitSpec> = waits.collect();
    waits.sort_by_key(|wait| wait.key.is_none());
    let mut pinned: Vec<(u64, &InboxContent)> = pinned.collect();
    pinned.sort_by_key(|(seq, _)| *seq);
    waits.retain(|wait| {
        let served = pinned
            .iter()
            .position(|(_, content)| wait.is_served_by(content));
        served.map(|place| pinned.remove(place)).is_none()
    });
    waits
}

/// What a store pinned to a run: it stays until the run ends, whatever the event's time to live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxItem {
    /// The order of publication, rising within one store.
    pub seq: u64,
    /// What was pinned.
    pub content: InboxContent,
}

impl InboxItem {
    /// The event, if it is one.
    pub(super) fn event(&self) -> Option<EventId> {
        match self.content {
            InboxContent::Child { .. } | InboxContent::Detached { .. } => None,
            InboxContent::Event { id, .. } => Some(id),
        }
    }
}

/// What can be pinned to a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InboxContent {
    /// The end of a child job, or why it was refused.
    Child {
        /// Which child.
        job: JobId,
        /// How it ended.
        outcome: StepOutcome,
    },
    /// What became of a child that its parent does not wait for.
    Detached {
        /// The id that was asked for, whatever job has it now.
        job: JobId,
        /// Where it is in the store, or why it was refused.
        outcome: StepOutcome,
    },
    /// A published event.
    Event {
        /// Which event.
        id: EventId,
        /// Its durable name.
        name: String,
        /// Its correlation key.
        key: Option<String>,
        /// What it says.
        payload: Payload,
        /// When the store took it.
        published_at: Timestamp,
    },
}

/// The news for a run: everything pinned to it that no delivered record has consumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nudge {
    /// The counter that says something was added.
    pub count: u64,
    /// What waits to be consumed, by `seq`.
    pub inbox: Vec<InboxItem>,
}
