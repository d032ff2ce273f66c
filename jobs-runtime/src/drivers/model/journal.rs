//! The step records of one run, and which of them are registered waits, so that a commit to a run
//! of many steps need not look through them all.

use crate::core::{JobId, StepRecord, WaitSpec};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Journal {
    records: BTreeMap<String, StepRecord>,
    /// Pending records that wait for an event.
    waiting: BTreeSet<String>,
}

impl Journal {
    pub(crate) fn insert(&mut self, record: StepRecord) {
        if record.position.is_none() && record.wait.is_some() {
            self.waiting.insert(record.name.clone());
        } else {
            self.waiting.remove(&record.name);
        }
        self.records.insert(record.name.clone(), record);
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.records.remove(name);
        self.waiting.remove(name);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&StepRecord> {
        self.records.get(name)
    }

    /// The records that asked for one job wait for another, which held its key.
    pub(crate) fn rename_child(&mut self, asked: JobId, joined: JobId) {
        for record in self.records.values_mut() {
            if record.child == Some(asked) {
                record.child = Some(joined);
            }
        }
    }

    /// By name.
    pub(crate) fn values(&self) -> impl Iterator<Item = &StepRecord> {
        self.records.values()
    }

    /// The registered waits.
    pub(crate) fn waits(&self) -> impl Iterator<Item = &WaitSpec> {
        let records = self
            .waiting
            .iter()
            .filter_map(|name| self.records.get(name));
        records.filter_map(|record| record.wait.as_ref())
    }
}
