//! One lease of a run: what the body asked for, what was delivered to it, what must be stored.
//!
//! Owns rules R1 (delivery decides the order), R2 (the durability barrier), R3 (failures),
//! R4 (pending records) and R14 (record times). It polls nothing and waits for nothing: the
//! executor calls [`Run::ask`] through the step futures, [`Run::advance`] between two polls, and
//! stores what [`Run::take_commit`] and [`Run::settle`] give it.

mod advance;
mod ask;
mod children;
mod former;
mod leave;
mod live;
mod once;
mod settle;
mod slot;
#[cfg(test)]
mod tests;
mod tx;
mod values;

pub use advance::Next;
pub use ask::{Ask, Asked};
pub use former::template_gives;
pub use leave::Leave;
pub use settle::Ended;
pub use tx::Undone;

use super::{
    Applied, Chain, Job, Millis, Mismatch, Nudge, Position, StepRecord, Timestamp, Token,
    notes::Notes,
};
use alloc::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    string::String,
    vec::Vec,
};
use children::Children;
use live::Live;
use slot::{Slot, SlotState};

/// How a run is to be replayed.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// Every delivery waits for its own durability (R2): the body has awaits outside its steps,
    /// or the last lease was lost.
    pub careful: bool,
    /// Steps that the code gave up on purpose.
    pub removed: &'static [&'static str],
    /// A wait in memory up to this long is cheaper than parking.
    pub park_after: Millis,
}

/// Why an attempt cannot go on, whatever the body would do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunFault {
    /// Two steps of this run have one name.
    Duplicate(String),
    /// The journal does not fit the code.
    Mismatch(Mismatch),
    /// A computed name is longer than a store keeps.
    NameTooLong(String),
}

/// The state of one lease of a run.
#[derive(Debug)]
pub struct Run {
    job: super::JobId,
    run: super::RunId,
    token: Token,
    events_since: Timestamp,
    replay: Replay,

    /// By the name the code asks for; a record may keep a former one (see [`former`]).
    slots: BTreeMap<String, Slot>,
    /// Recorded names by position; `cursor` is the next to deliver.
    order: Vec<String>,
    cursor: usize,
    /// Recorded results asked for after their position was passed over.
    late: VecDeque<String>,
    /// How many recorded names were passed over and are not asked for yet.
    passed: usize,
    /// What was recorded came late, and the body was not polled with it yet.
    unsettled: bool,
    /// Held names that may start although more may come late.
    cleared: BTreeSet<String>,
    /// Finished bodies, in order of finishing.
    finished: VecDeque<String>,
    /// Names that may not start yet.
    held: BTreeSet<String>,
    /// Bodies that may not run twice, whose start is not durable yet.
    marking: BTreeSet<String>,
    /// Names whose waker must be fired.
    woken: Vec<String>,
    /// Stored ahead of their delivery (careful mode), by position.
    storing: VecDeque<String>,
    /// Delivered failures of which it is not known yet what the body asked for after them.
    failures: Vec<String>,
    /// What waits for an instant, an event or a child.
    live: Live,
    children: Children,
    /// Everything recorded was delivered, and the body asked for more.
    open: bool,
    /// Bodies that were started and have not finished.
    in_flight: usize,
    polls: u64,
    fault: Option<RunFault>,
    closed: bool,

    seen_nudge: u64,
    /// The inbox is complete up to this instant.
    inbox_at: Timestamp,

    next: Position,
    /// The position up to which everything is durable.
    durable: Position,
    /// The position from which the next commit starts.
    base: Position,
    last_time: Timestamp,
    /// The last record that the body has got: its position, and its time.
    got: (Option<Position>, Timestamp),
    /// Recorded values that were drawn since then: between the steps, and inside of bodies.
    values: [u64; 2],
    /// The positions that a fork has copied, and the runs they come from.
    origins: Vec<(Position, super::RunId)>,
    notes: Notes,
    leaving: Option<Leave>,
    /// By the name of the record, as `removed` is.
    dirty: BTreeMap<String, StepRecord>,
    removed: BTreeMap<String, Removal>,
    number: u64,
    committing: Option<Position>,
    /// The transaction of the `tx` step that is under way; one at a time.
    tx: Option<tx::Tx>,
    /// The names that were taken, in order of asking.
    used: Vec<String>,
    replayed: Vec<String>,
}

/// A pending record whose future was dropped.
#[derive(Debug)]
struct Removal {
    /// The poll in which it was dropped.
    poll: u64,
    /// The record, if it was not stored yet.
    unsaved: Option<StepRecord>,
}

impl Run {
    /// The state at the start of a lease: `job` and `journal` as the claim answered, `nudge` the
    /// inbox that came with it, `now` the store's time of the claim.
    #[must_use]
    pub fn new(
        job: &Job,
        journal: Vec<StepRecord>,
        nudge: Nudge,
        now: Timestamp,
        replay: Replay,
    ) -> Self {
        let mut recorded: Vec<(Position, String)> = journal
            .iter()
            .filter_map(|record| record.position.map(|at| (at, record.name.clone())))
            .collect();
        recorded.sort_unstable();
        let mut origins: Vec<_> = journal
            .iter()
            .filter_map(|record| Some((record.position?, record.copied_from?)))
            .collect();
        origins.sort_unstable();
        let consumed = journal.iter().filter_map(|record| record.event).collect();
        let slots = journal
            .into_iter()
            .map(|record| (record.name.clone(), Slot::recorded(record)));
        let mut children = Children::default();
        let inbox = children.news(nudge.inbox);
        Run {
            job: job.spec.id,
            run: job.spec.run_id,
            token: job.head.token,
            events_since: Chain::of(&job.spec, &job.head).since,
            replay,
            slots: slots.collect(),
            order: recorded.into_iter().map(|(_, name)| name).collect(),
            cursor: 0,
            late: VecDeque::new(),
            passed: 0,
            unsettled: false,
            cleared: BTreeSet::new(),
            finished: VecDeque::new(),
            held: BTreeSet::new(),
            marking: BTreeSet::new(),
            woken: Vec::new(),
            storing: VecDeque::new(),
            failures: Vec::new(),
            live: Live::new(consumed, inbox),
            children,
            open: false,
            in_flight: 0,
            polls: 0,
            fault: None,
            closed: false,
            seen_nudge: nudge.count,
            inbox_at: now,
            next: job.head.next_position,
            durable: job.head.next_position,
            base: job.head.next_position,
            last_time: job.head.enqueued_at,
            got: (None, job.head.enqueued_at),
            values: [0; 2],
            origins,
            notes: Notes::default(),
            leaving: None,
            dirty: BTreeMap::new(),
            removed: BTreeMap::new(),
            number: 0,
            committing: None,
            tx: None,
            used: Vec::new(),
            replayed: Vec::new(),
        }
    }

    /// Says that the body is about to be polled.
    pub fn begin_poll(&mut self) {
        self.polls += 1;
    }

    /// The names whose stored wakers must be fired before the next poll.
    pub fn take_woken(&mut self) -> Vec<String> {
        ::core::mem::take(&mut self.woken)
    }

    /// Says that the lease is over: futures that are dropped from here on change nothing.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Why the attempt cannot go on, if it cannot.
    #[must_use]
    pub fn fault(&self) -> Option<&RunFault> {
        self.fault.as_ref()
    }

    /// Reports a recorded output that no longer decodes.
    pub fn undecodable(&mut self, step: &str, reason: String) {
        self.break_with(RunFault::Mismatch(Mismatch::Output {
            step: step.into(),
            reason,
        }));
    }

    /// Takes in an inbox that was complete at `at`.
    pub fn news(&mut self, nudge: Option<Nudge>, at: Timestamp) {
        if let Some(nudge) = nudge
            && nudge.count >= self.seen_nudge
        {
            self.seen_nudge = nudge.count;
            let rest = self.children.news(nudge.inbox);
            self.live.news(rest);
        }
        self.inbox_at = self.inbox_at.max(at);
    }

    /// Says that the commit in flight is stored; `at` is when it was sent.
    pub fn committed(&mut self, applied: Applied, at: Timestamp) {
        if let Some(end) = self.committing.take() {
            self.durable = end;
        }
        self.hold_marked();
        self.children_stored(&applied.children);
        self.news(applied.nudge, at);
    }

    /// The token of this lease.
    #[must_use]
    pub fn token(&self) -> Token {
        self.token
    }

    /// The nudge that this run has seen.
    #[must_use]
    pub fn seen_nudge(&self) -> u64 {
        self.seen_nudge
    }

    /// Whether a body runs.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.in_flight > 0
    }

    /// Whether any step waits for an event or a child.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.live.is_waiting() || self.children.are_awaited()
    }

    fn break_with(&mut self, fault: RunFault) {
        self.fault.get_or_insert(fault);
    }

    /// Every delivered position is stored.
    fn barrier_is_down(&self) -> bool {
        self.durable >= self.next
    }

    /// Hands a record to the next commit.
    fn save(&mut self, record: StepRecord) {
        self.removed.remove(&record.name);
        self.dirty.insert(record.name.clone(), record);
    }

    fn wake(&mut self, name: &str) {
        self.woken.push(name.into());
    }

    /// A result is given to the body; whether it then asks for more is asked of failures (R3).
    fn give(&mut self, name: &str) {
        let polls = self.polls;
        if let Some(slot) = self.slots.get_mut(name) {
            slot.state = SlotState::Delivered;
            slot.delivered_in = polls + 1;
            if slot.record.is_failure() {
                self.failures.push(name.into());
            }
            let at = slot.record.completed_at.unwrap_or(self.got.1);
            self.got = (slot.record.position, self.got.1.max(at));
            self.last_time = self.last_time.max(at);
            self.values = [0; 2];
        }
        self.wake(name);
    }
}
