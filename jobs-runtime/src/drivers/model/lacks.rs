//! What a verb looked for that a working set does not hold.
//!
//! A store with everything in it lacks nothing and notes nothing. A working set notes what was
//! asked for and goes on as if it were not there: whoever filled it throws the outcome away,
//! loads what was missing, and applies the request again to what was loaded.

use super::store::WaitKey;
use crate::core::{Chain, EventId, Group, JobId, Priority, RunId, WaitSpec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something that a verb may look for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// The row of a job, wherever it stands.
    Job(JobId),
    /// More of a row that is there.
    Part(JobId, Part),
    /// Who holds a key, by scope and key.
    Key(String, String),
    /// The key of a live job. No verb asks for it; who knows that a job may end can see to it that
    /// its key is locked before its row.
    OwnKey(JobId),
    /// The live children that a job owns.
    Owned(JobId),
    /// The runs that wait for an event of this name with this key, or with any.
    Waits(WaitKey),
    /// The event of this id.
    Event(EventId),
    /// The earliest stored events that serve a wait of this run and are not known to it.
    Events(JobId, Wanted),
    /// What an enqueue of this id has given its input to.
    Replaced(JobId),
    /// A setting by its key.
    Setting(String),
    /// Leases of a group that are live.
    Live(Group),
    /// Where the rate of a group stands.
    Pace(Group),
    /// Whose turn it is in a queue.
    Turn(String, Priority),
    /// More numbers for events, inbox items and settings.
    Numbers,
}

/// What a wait asks for, in an order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    pub(crate) names: Vec<String>,
    pub(crate) key: Option<String>,
    pub(crate) since: i64,
    /// The waits of the run: each may take one of the events.
    pub(crate) most: usize,
    /// The chain of the run, whose marks say what others have consumed.
    pub(crate) chain: Option<RunId>,
}

impl Wanted {
    pub(crate) fn by(wait: &WaitSpec, waits: usize, chain: Option<Chain>) -> Self {
        Wanted {
            names: wait.names.clone(),
            key: wait.key.clone(),
            since: wait.since.0,
            most: waits,
            chain: chain.map(|chain| chain.run),
        }
    }
}

/// What a row may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The input, and what else of the spec no decision reads.
    Spec,
    /// All records and all of the inbox.
    Whole,
    /// Pending records, and what was pinned and no record has consumed.
    News,
    /// Pending records.
    Pending,
    /// Who shall hear of its end.
    Told,
}

/// What was asked for by those who only look. Nobody contends for it.
#[derive(Debug, Default)]
struct Lacking(Mutex<BTreeSet<Need>>);

impl Lacking {
    fn open(&self) -> MutexGuard<'_, BTreeSet<Need>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Lacking {
    fn clone(&self) -> Self {
        Lacking(Mutex::new(self.open().clone()))
    }
}

/// What a working set holds, and what was found missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    have: BTreeSet<Need>,
    lacking: Lacking,
    /// Numbers that were supplied and not drawn yet.
    numbers: Vec<u64>,
    supplied: usize,
    /// Events that the verb itself has stored.
    fresh: BTreeSet<u64>,
    /// Which of the loaded events may serve which run: the others it may have consumed.
    candidates: BTreeMap<JobId, BTreeSet<u64>>,
    live: BTreeMap<Group, u32>,
}

impl Known {
    pub(crate) fn ask(&self, need: Need) {
        if !self.has(&need) {
            self.lacking.open().insert(need);
        }
    }

    pub(crate) fn has(&self, need: &Need) -> bool {
        let more = |part| Need::Part(part, Part::Whole);
        let implied = match need {
            Need::Part(job, Part::News | Part::Pending) => self.have.contains(&more(*job)),
            _ => false,
        };
        let news = match need {
            Need::Part(job, Part::Pending) => self.have.contains(&Need::Part(*job, Part::News)),
            _ => false,
        };
        implied || news || self.have.contains(need)
    }

    pub(crate) fn add(&mut self, need: Need) {
        self.have.insert(need);
    }

    /// What was missing since this was asked last.
    pub(crate) fn take_lacking(&mut self) -> BTreeSet<Need> {
        std::mem::take(&mut self.lacking.open())
    }

    /// Numbers to draw from, smallest first.
    pub(crate) fn supply(&mut self, numbers: impl IntoIterator<Item = u64>) {
        let before = self.numbers.len();
        self.numbers.extend(numbers);
        self.supplied += self.numbers.len() - before;
        self.numbers.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// How many numbers were supplied so far.
    pub(crate) fn supplied(&self) -> usize {
        self.supplied
    }

    pub(crate) fn draw(&mut self) -> u64 {
        match self.numbers.pop() {
            Some(number) => number,
            None => {
                self.lacking.open().insert(Need::Numbers);
                0
            }
        }
    }

    pub(crate) fn add_candidate(&mut self, job: JobId, seq: u64) {
        self.candidates.entry(job).or_default().insert(seq);
    }

    pub(crate) fn add_fresh(&mut self, seq: u64) {
        self.fresh.insert(seq);
    }

    /// Whether this event may serve this run: it is new, or was loaded for it.
    pub(crate) fn is_candidate(&self, job: JobId, seq: u64) -> bool {
        let loaded = self.candidates.get(&job);
        self.fresh.contains(&seq) || loaded.is_some_and(|seqs| seqs.contains(&seq))
    }

    pub(crate) fn set_live(&mut self, group: Group, leases: u32) {
        self.live.insert(group, leases);
    }

    /// Whether live leases were counted.
    pub(crate) fn has_counted(&self) -> bool {
        !self.live.is_empty()
    }

    pub(crate) fn live(&self, group: &Group) -> u32 {
        self.live.get(group).copied().unwrap_or(0)
    }
}
