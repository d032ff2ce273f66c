//! A history sorted by what it is about: calls with their answers, jobs with their leases,
//! commits and effects. Everything names an entry by its place in the history.

mod chain;
mod line;
mod made;
mod map;
mod read;

pub(super) use line::{Held, Line};
pub(super) use made::{Made, Outcome};
pub(super) use map::{Map, Mixing};

use crate::core::{JobId, RunId, Timestamp};
use crate::torture::history::{Dumped, Effect, Entry, Life, What};
use read::Reading;

/// The place of what never ended.
pub(super) const NEVER: usize = usize::MAX;

/// A history by what it is about.
pub(super) struct Index<'h> {
    pub(super) entries: &'h [Entry],
    pub(super) made: Vec<Made<'h>>,
    pub(super) jobs: Vec<Line<'h>>,
    pub(super) job_at: Map<JobId, usize>,
    pub(super) run_at: Map<RunId, usize>,
    /// Calls that publish.
    pub(super) publishes: Vec<usize>,
    /// Calls that remove, and may be done.
    pub(super) prunes: Vec<usize>,
    /// From where to where something was out of order: faults, dead and stopped processes.
    pub(super) troubles: Vec<(usize, usize)>,
    /// Faults alone.
    pub(super) faults: Vec<(usize, usize)>,
    /// Queues that may have been paused, from where to where.
    pub(super) pauses: Vec<(&'h str, usize, usize)>,
    pub(super) healing: Option<usize>,
    pub(super) quiet: Option<usize>,
}

impl<'h> Index<'h> {
    pub(super) fn of(entries: &'h [Entry]) -> Self {
        let mut index = Index {
            entries,
            made: Vec::with_capacity(entries.len() / 2),
            jobs: Vec::new(),
            job_at: Map::default(),
            run_at: Map::default(),
            publishes: Vec::new(),
            prunes: Vec::new(),
            troubles: Vec::new(),
            faults: Vec::new(),
            pauses: Vec::new(),
            healing: None,
            quiet: None,
        };
        let mut reading = Reading::default();
        for (at, entry) in entries.iter().enumerate() {
            index.read(at, entry, &mut reading);
        }
        index.close(&reading);
        index.read_pauses();
        index.sort_jobs();
        index
    }

    pub(super) fn effect(&self, at: usize) -> Option<(&'h Entry, &'h Effect)> {
        let entry = self.entries.get(at)?;
        match &entry.what {
            What::EffectBegin(effect) | What::EffectEnd(effect) => Some((entry, effect)),
            _ => None,
        }
    }

    pub(super) fn dumped(&self, line: &Line<'h>) -> Option<(usize, &'h Dumped)> {
        let at = *line.dumped.first()?;
        match &self.entries[at].what {
            What::Job(dumped) => Some((at, dumped)),
            _ => None,
        }
    }

    pub(super) fn at(&self, place: usize) -> Timestamp {
        let entry = self.entries.get(place);
        entry.map_or(Timestamp(i64::MAX), |entry| entry.at)
    }

    /// From where on nothing was out of order up to `to`, not before `from`, and the queue of this
    /// job not paused; `None` if there is no such place.
    pub(super) fn calm_since(&self, line: &Line<'h>, from: usize, to: usize) -> Option<usize> {
        let queue = line.queue(self);
        let pauses = self.pauses.iter();
        let pauses = pauses.filter(|(paused, ..)| queue.is_none_or(|queue| queue == *paused));
        let spans = pauses.map(|(_, begin, end)| (*begin, *end));
        let mut spans = spans.chain(self.troubles.iter().copied());
        let calm = spans.try_fold(from, |calm, (begin, end)| match begin <= to {
            true if end >= to => None,
            true => Some(calm.max(end)),
            false => Some(calm),
        })?;
        (calm < to).then_some(calm)
    }
}

fn life_of(entry: &Entry) -> Life {
    Life {
        process: entry.process,
        incarnation: entry.incarnation,
    }
}
