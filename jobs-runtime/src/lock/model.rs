//! What a lock file holds. How it looks as a file is in `write` and `read`, how two of them differ
//! in `compare`.

use super::write::NOT_KNOWN;
use super::{Field, Place};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The durable shape of a program: all that stored runs rely on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// The jobs by durable name.
    pub jobs: BTreeMap<String, JobLock>,
    /// The events by durable name.
    pub events: BTreeMap<String, EventLock>,
    /// The types whose values are stored, by name.
    pub types: BTreeMap<String, TypeLock>,
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLock {
    /// The crate that defines it.
    #[serde(rename = "crate")]
    pub krate: String,
    /// Former names, the newest first.
    #[serde(default)]
    pub was: Vec<String>,
    /// The template or the closure of its key; `None` for `idempotency = none`.
    pub key: Option<String>,
    /// Whose job it is.
    pub tenant: Option<String>,
    /// The name of the input's type.
    pub input: String,
    /// The name of the output's type.
    pub output: String,
    /// Steps that were given up on purpose.
    #[serde(default)]
    pub removed: Vec<String>,
    /// Options that differ from what holds without them, each as text.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Its steps by whole name, those of helpers included.
    #[serde(default)]
    pub steps: BTreeMap<String, StepLock>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// A step of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepLock {
    /// `step`, `sleep`, `event` or `child`.
    pub kind: String,
    /// Every name it can have been recorded under before.
    #[serde(default)]
    pub was: Vec<String>,
    /// The name of its output's type, if it stores one; `not known` where it cannot be seen.
    pub output: Option<String>,
    /// The event that it waits for, if it does; `not known` where it cannot be seen.
    pub event: Option<String>,
    /// Its body runs at most once.
    #[serde(default)]
    pub at_most_once: bool,
    /// Its body writes in a transaction of the store.
    #[serde(default)]
    pub tx: bool,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventLock {
    /// The crate that defines it.
    #[serde(rename = "crate")]
    pub krate: String,
    /// Former names, the newest first.
    #[serde(default)]
    pub was: Vec<String>,
    /// The name of the key's type; `None` for `key = none`.
    pub key: Option<String>,
    /// How long a published one can be taken, if it says so.
    pub ttl: Option<String>,
    /// The name of the payload's type.
    pub payload: String,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// The fields of a type; `None` if they cannot be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeLock {
    /// Every field, sorted.
    pub fields: Option<Vec<Field>>,
}

impl StepLock {
    /// The name of its output's type, where it is known.
    pub(super) fn known_output(&self) -> Option<&str> {
        self.output.as_deref().filter(|name| *name != NOT_KNOWN)
    }

    /// The event that it waits for, where it is known.
    pub(super) fn known_event(&self) -> Option<&str> {
        self.event.as_deref().filter(|name| *name != NOT_KNOWN)
    }
}

impl JobLock {
    /// The oldest name: the scope of its keys.
    pub(super) fn scope<'a>(&'a self, name: &'a str) -> &'a str {
        self.was.last().map_or(name, String::as_str)
    }
}

impl Lock {
    /// The job that answers to a stored name, by its own or a former one.
    pub(super) fn answering(&self, name: &str) -> Option<&JobLock> {
        let mut all = self.jobs.values();
        let by_name = self.jobs.get(name);
        by_name.or_else(|| all.find(|job| job.was.iter().any(|was| was == name)))
    }

    /// The fields of a type, where they are known.
    pub(super) fn fields(&self, ty: &str) -> Option<&[Field]> {
        self.types.get(ty)?.fields.as_deref()
    }
}
