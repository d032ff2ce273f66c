//! Hands the events of a run over to the one that goes on from it. What goes along is decided in
//! `core`.

use super::lacks::Part;
use super::row::Row;
use super::store::{EventRow, Store};
use crate::contract::StoredEvent;
use crate::core::{self, Chain, JobId, MarkKey, RunId, Timestamp, WaitSpec};
use std::collections::BTreeMap;

/// How far the ended runs of each chain have come with events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(BTreeMap<RunId, BTreeMap<MarkKey, u64>>);

/// How far one chain has come.
#[derive(Clone, Copy)]
pub(crate) struct ChainMarks<'m>(Option<&'m BTreeMap<MarkKey, u64>>);

impl Marks {
    /// The marks of the chain that a run belongs to.
    pub(crate) fn of(&self, row: &Row) -> ChainMarks<'_> {
        ChainMarks(row.spec.chain.and_then(|chain| self.0.get(&chain.run)))
    }

    /// All marks: the chain, the name and key, and how far it has come.
    pub(crate) fn all(&self) -> impl Iterator<Item = (RunId, &MarkKey, u64)> {
        self.0
            .iter()
            .flat_map(|(chain, marks)| marks.iter().map(move |(place, seq)| (*chain, place, *seq)))
    }

    /// Drops the marks that lie before every stored event.
    pub(crate) fn forget(&mut self, events: &BTreeMap<u64, EventRow>) {
        let first = events.keys().next().copied().unwrap_or(u64::MAX);
        self.0.retain(|_, marks| {
            marks.retain(|_, seq| *seq >= first);
            !marks.is_empty()
        });
    }
}

impl ChainMarks<'_> {
    fn at(self, name: &str, key: Option<&str>) -> u64 {
        let place = (name.to_owned(), key.map(str::to_owned));
        let mark = self.0.and_then(|marks| marks.get(&place));
        mark.copied().unwrap_or(0)
    }

    /// The first publication that may serve a wait.
    pub(crate) fn past(self, wait: &WaitSpec) -> u64 {
        if self.0.is_none() {
            return 0;
        }
        let marks = wait.names.iter().map(|name| {
            let any = self.at(name, None);
            any.max(
                wait.key
                    .as_deref()
                    .map_or(0, |key| self.at(name, Some(key))),
            )
        });
        marks.min().map_or(0, |mark| mark + 1)
    }

    /// Whether an ended run of the chain has consumed an event.
    pub(crate) fn has_consumed(self, event: &StoredEvent) -> bool {
        self.0.is_some()
            && (event.seq <= self.at(&event.name, None)
                || event.key.is_some() && event.seq <= self.at(&event.name, event.key.as_deref()))
    }
}

impl Store {
    /// Gives the run that goes on its place in the chain, and what `row` has not consumed.
    pub(crate) fn carry(&mut self, row: &mut Row, to: JobId, now: Timestamp) {
        self.needs_part(row.spec.id, Part::Whole);
        if self.alive(to).is_none() {
            return;
        }
        let Some(next) = self.live.get_mut(&to) else {
            return;
        };
        if !core::goes_along(row.spec.tenant.as_deref(), next.spec.tenant.as_deref()) {
            return;
        }
        let chain = Chain::of(&row.spec, &row.head);
        row.spec.chain = Some(chain);
        next.spec.chain = Some(chain);
        let mut inbox = row.inbox();
        let carried = core::unconsumed(row.journal.values(), &mut inbox);
        row.inbox = inbox.into_iter().map(|i| (i.seq, i.content)).collect();
        for item in carried {
            self.pin(to, item.seq, item.content, now);
        }
    }

    /// Notes how far the chain of a run that ends has come: its journal will not be there for ever.
    pub(crate) fn mark(&mut self, row: &Row) {
        let Some(chain) = row.spec.chain else { return };
        self.needs_part(row.spec.id, Part::Whole);
        let consumed = core::marks(row.journal.values(), &row.inbox());
        if consumed.is_empty() {
            return;
        }
        let marks = self.marks.0.entry(chain.run).or_default();
        for (place, seq) in consumed {
            let mark = marks.entry(place).or_default();
            *mark = seq.max(*mark);
        }
    }
}
