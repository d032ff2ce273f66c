//! The lanes of one priority as a claim serves them: whose turn it is comes from `core`, the rows
//! from the strips, read a few at a time.

use super::fault::Fault;
use super::group::Tx;
use super::lanes::{self, Strip};
use super::room;
use crate::core::{Contender, LANE_LIMIT, Lane, State, Turn, Turns, VisibleJob};
use std::collections::{BTreeMap, VecDeque};

pub(super) struct Lineup {
    priority: i64,
    turns: Turns,
    /// The rows of each contender, by state.
    flows: Vec<Vec<Flow>>,
}

impl Lineup {
    /// `strips` are those of this priority, at most [`LANE_LIMIT`] of each queue and state.
    pub(super) fn new(tx: &Tx<'_>, priority: i64, strips: Vec<Strip>) -> Result<Self, Fault> {
        let mut by_queue: BTreeMap<String, Vec<Strip>> = BTreeMap::new();
        for strip in strips {
            by_queue.entry(strip.queue.clone()).or_default().push(strip);
        }
        let (mut contenders, mut flows) = (Vec::new(), Vec::new());
        // What the first lane of each queue has had of its turn.
        let mut served: BTreeMap<String, u32> = BTreeMap::new();
        for (queue, strips) in by_queue {
            let is_plain = strips.iter().all(|strip| strip.lane.is_empty());
            let turn = match is_plain {
                true => Turn::default(),
                false => room::turn(**tx, &queue, priority)?,
            };
            for (lane, strips) in in_turn(tx, &queue, priority, strips, &turn.lane.text())? {
                let lane = Lane::read(&lane);
                let had = if lane == turn.lane { turn.served } else { 0 };
                served.entry(queue.clone()).or_insert(had);
                let own: Vec<Flow> = strips
                    .into_iter()
                    .map(|strip| Flow::new(tx, strip))
                    .collect();
                contenders.push(Contender {
                    queue: queue.clone(),
                    weight: room::weight(**tx, &lane)?,
                    lane,
                    starting: first(&own, true),
                    resuming: first(&own, false),
                });
                flows.push(own);
            }
        }
        let turns = Turns::new(contenders, |queue| served.get(queue).copied().unwrap_or(0));
        Ok(Lineup {
            priority,
            turns,
            flows,
        })
    }

    pub(super) fn next(&self) -> Option<(usize, VisibleJob)> {
        self.turns.next()
    }

    /// The queue and lane of a contender.
    pub(super) fn place(&self, index: usize) -> Option<(String, Lane)> {
        let contender = self.turns.lane(index)?;
        Some((contender.queue.clone(), contender.lane.clone()))
    }

    /// Whether this job of a contender begins an attempt.
    pub(super) fn starts(&self, index: usize, job: VisibleJob) -> bool {
        self.turns
            .lane(index)
            .is_some_and(|contender| contender.starting == Some(job))
    }

    pub(super) fn served(&mut self, index: usize) {
        self.turns.served(index);
    }

    /// Goes on behind a job. `wanted` is how many more the claim has room for.
    pub(super) fn advance(
        &mut self,
        tx: &Tx<'_>,
        index: usize,
        job: VisibleJob,
        wanted: usize,
    ) -> Result<(), Fault> {
        // Rows are read for all that this lane may still be asked for in its share of the claim.
        let share = wanted / self.flows.len().max(1) + 1;
        let Some(flows) = self.flows.get_mut(index) else {
            return Ok(());
        };
        for flow in flows.iter_mut() {
            flow.pass(tx, job, share)?;
        }
        let (starting, resuming) = (first(flows, true), first(flows, false));
        if let Some(contender) = self.turns.lane_mut(index) {
            (contender.starting, contender.resuming) = (starting, resuming);
        }
        Ok(())
    }

    /// Looks at a contender's lane anew, after a job of it has ended: what that told others may have
    /// made them visible.
    pub(super) fn renew(&mut self, tx: &Tx<'_>, index: usize) -> Result<(), Fault> {
        let Some((queue, lane)) = self.place(index) else {
            return Ok(());
        };
        let strips = lanes::strips_of(**tx, &queue, self.priority, &lane.text())?;
        let own: Vec<Flow> = strips.into_iter().map(|it| Flow::new(tx, it)).collect();
        if let Some(contender) = self.turns.lane_mut(index) {
            (contender.starting, contender.resuming) = (first(&own, true), first(&own, false));
        }
        if let Some(flows) = self.flows.get_mut(index) {
            *flows = own;
        }
        Ok(())
    }

    /// Asks this contender no more; or, with `only_starts`, only for jobs that go on.
    pub(super) fn hold(&mut self, index: usize, only_starts: bool) {
        if let Some(contender) = self.turns.lane_mut(index) {
            contender.starting = None;
            if !only_starts {
                contender.resuming = None;
            }
        }
    }

    /// Stores the turns that have moved.
    pub(super) fn store(&self, tx: &Tx<'_>) -> Result<(), Fault> {
        for (queue, turn) in self.turns.stand() {
            room::store_turn(tx, queue, self.priority, &turn)?;
        }
        Ok(())
    }
}

/// The lanes of one queue from the one whose turn it is, each with its strips.
fn in_turn(
    tx: &Tx<'_>,
    queue: &str,
    priority: i64,
    strips: Vec<Strip>,
    turn: &str,
) -> Result<Vec<(String, Vec<Strip>)>, Fault> {
    let is_cut = strips.len() >= LANE_LIMIT;
    let mut lanes = by_lane(strips);
    if is_cut {
        // There may be more than were read: those whose turn it is must be among them.
        let from = lanes::strips_from(**tx, queue, priority, turn, LANE_LIMIT)?;
        lanes.extend(by_lane(from));
    }
    let behind = lanes.split_off(turn);
    Ok(behind.into_iter().chain(lanes).take(LANE_LIMIT).collect())
}

fn by_lane(strips: Vec<Strip>) -> BTreeMap<String, Vec<Strip>> {
    let mut lanes: BTreeMap<String, Vec<Strip>> = BTreeMap::new();
    for strip in strips {
        lanes.entry(strip.lane.clone()).or_default().push(strip);
    }
    lanes
}

fn first(flows: &[Flow], starts: bool) -> Option<VisibleJob> {
    let own = flows.iter().filter(|flow| flow.starts() == starts);
    own.filter_map(Flow::front).min()
}

/// The visible rows of one strip, read when they are needed.
struct Flow {
    strip: Strip,
    rows: VecDeque<VisibleJob>,
    /// The last row that was read.
    last: VisibleJob,
    has_more: bool,
}

impl Flow {
    fn new(tx: &Tx<'_>, strip: Strip) -> Self {
        let is_visible = strip.first.0 <= tx.now;
        Flow {
            rows: is_visible.then_some(strip.first).into_iter().collect(),
            last: strip.first,
            has_more: is_visible,
            strip,
        }
    }

    fn starts(&self) -> bool {
        self.strip.state != State::Suspended
    }

    fn front(&self) -> Option<VisibleJob> {
        self.rows.front().copied()
    }

    /// Drops the job if it is the first one here, and reads on if there is none left.
    fn pass(&mut self, tx: &Tx<'_>, job: VisibleJob, limit: usize) -> Result<(), Fault> {
        if self.front() == Some(job) {
            self.rows.pop_front();
        }
        if self.rows.is_empty() && self.has_more {
            let rows = self.strip.visible_after(**tx, tx.now, self.last, limit)?;
            self.has_more = rows.len() == limit;
            self.last = rows.last().copied().unwrap_or(self.last);
            self.rows.extend(rows);
        }
        Ok(())
    }
}
