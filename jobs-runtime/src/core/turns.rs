//! Whose turn it is: among jobs of one priority, lanes are served one after the other, so that a
//! long backlog in one delays another by no more than a round.

use super::{JobId, JobSpec, Timestamp, key::key_text, key_part};
use ::core::cmp::Ordering;
use alloc::{format, string::String, vec::Vec};

/// Lanes of one queue and priority that a claim looks at. The next claim goes on after them.
pub const LANE_LIMIT: usize = 1_000;

/// What jobs share that take turns as one: their tenant, and the key of their limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Whose jobs they are.
    pub tenant: Option<String>,
    /// Scope and key of the limit they are counted under.
    pub limit: Option<(String, String)>,
}

impl Lane {
    /// The lane of a job.
    #[must_use]
    pub fn of(spec: &JobSpec) -> Lane {
        Lane {
            tenant: spec.tenant.clone(),
            limit: spec.limit_key.clone().map(|key| (spec.scope.clone(), key)),
        }
    }

    /// Jobs without a tenant and a limit: they have no turns, only their order.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.tenant.is_none() && self.limit.is_none()
    }

    /// A text that no other lane has; empty for the plain one.
    #[must_use]
    pub fn text(&self) -> String {
        if self.is_plain() {
            return String::new();
        }
        let tenant = self.tenant.as_deref().map(key_part).unwrap_or_default();
        match &self.limit {
            Some((scope, key)) => format!("{tenant}/{}/{}", key_part(scope), key_part(key)),
            None => tenant,
        }
    }

    /// The lane with this text; the plain one if no lane has it.
    #[must_use]
    pub fn read(text: &str) -> Lane {
        let mut parts = text.split('/').map(key_text);
        let tenant = parts.next().flatten().filter(|tenant| !tenant.is_empty());
        let limit = match (parts.next(), parts.next()) {
            (Some(Some(scope)), Some(Some(key))) => Some((scope, key)),
            _ => None,
        };
        Lane { tenant, limit }
    }
}

/// By the text, so that every store has the same turns.
impl Ord for Lane {
    fn cmp(&self, other: &Lane) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        self.text().cmp(&other.text())
    }
}

impl PartialOrd for Lane {
    fn partial_cmp(&self, other: &Lane) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where the turns of one queue and priority stand: this lane is being served, and has had so many
/// jobs of its turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// The lane.
    pub lane: Lane,
    /// Jobs that it was given in this turn.
    pub served: u32,
}

/// A visible job.
pub type VisibleJob = (Timestamp, JobId);

/// One lane of one queue, as a claim sees it.
#[derive(Clone, Debug)]
pub struct Contender {
    /// The queue.
    pub queue: String,
    /// The lane.
    pub lane: Lane,
    /// Jobs of one turn; at least one.
    pub weight: u32,
    /// Its first visible job that starts an attempt.
    pub starting: Option<VisibleJob>,
    /// Its first visible job that goes on after a suspension.
    pub resuming: Option<VisibleJob>,
}

impl Contender {
    fn first(&self) -> Option<VisibleJob> {
        match (self.starting, self.resuming) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

/// Whose turn it is in a queue while a claim is made.
#[derive(Debug)]
struct QueueTurn {
    queue: String,
    /// The number of its lane among all.
    lane: usize,
    /// What the lane has had of its turn.
    served: u32,
    has_served: bool,
}

/// The lanes of one priority while a claim is made. Those of a queue stand in the order of their
/// turns: the first is the one whose turn it is.
#[derive(Debug)]
pub struct Turns {
    lanes: Vec<Contender>,
    queues: Vec<QueueTurn>,
    /// Somebody has a tenant or a limit, so turns are taken.
    is_fair: bool,
}

impl Turns {
    /// `served` says for each queue what its first lane has had of its turn.
    #[must_use]
    pub fn new(lanes: Vec<Contender>, served: impl Fn(&str) -> u32) -> Turns {
        let mut queues: Vec<QueueTurn> = Vec::new();
        for (index, lane) in lanes.iter().enumerate() {
            if queues.iter().all(|turn| turn.queue != lane.queue) {
                queues.push(QueueTurn {
                    queue: lane.queue.clone(),
                    lane: index,
                    served: served(&lane.queue),
                    has_served: false,
                });
            }
        }
        let is_fair = lanes.iter().any(|contender| !contender.lane.is_plain());
        Turns {
            lanes,
            queues,
            is_fair,
        }
    }

    /// The lane that is served next, and its job: by turns within a queue, and between queues, or
    /// where nobody has a tenant or a limit, by the order of the jobs.
    #[must_use]
    pub fn next(&self) -> Option<(usize, VisibleJob)> {
        let candidates = |index: usize| Some((index, self.lanes.get(index)?.first()?));
        let order = |(index, (at, id)): &(usize, VisibleJob)| (*at, *id, *index);
        if !self.is_fair {
            return (0..self.lanes.len())
                .filter_map(candidates)
                .min_by_key(order);
        }
        let of_queue = |turn: &QueueTurn| {
            (turn.lane..self.lanes.len())
                .chain(0..turn.lane)
                .filter(|index| {
                    let lane = self.lanes.get(*index);
                    lane.is_some_and(|lane| lane.queue == turn.queue)
                })
                .find_map(candidates)
        };
        self.queues.iter().filter_map(of_queue).min_by_key(order)
    }

    /// The lane with this number.
    #[must_use]
    pub fn lane(&self, index: usize) -> Option<&Contender> {
        self.lanes.get(index)
    }

    /// The lane with this number, to move its first jobs on.
    pub fn lane_mut(&mut self, index: usize) -> Option<&mut Contender> {
        self.lanes.get_mut(index)
    }

    /// Notes that a job of this lane was leased.
    pub fn served(&mut self, index: usize) {
        let Some(lane) = self.lanes.get(index) else {
            return;
        };
        let Some(turn) = self.queues.iter_mut().find(|t| t.queue == lane.queue) else {
            return;
        };
        // A lane that others let pass begins a turn of its own.
        let had = if turn.lane == index { turn.served } else { 0 };
        (turn.lane, turn.served) = (index, had.saturating_add(1));
        turn.has_served = true;
        if turn.served >= lane.weight.max(1) {
            let mut after = (index + 1..self.lanes.len()).chain(0..=index);
            let next = after.find(|i| self.lanes.get(*i).is_some_and(|l| l.queue == lane.queue));
            (turn.lane, turn.served) = (next.unwrap_or(index), 0);
        }
    }

    /// Where the turns stand that have moved, of queues that have more lanes than the plain one.
    /// A claim that served nobody moves no turn, also not on from a lane that is empty just now.
    pub fn stand(&self) -> impl Iterator<Item = (&str, Turn)> {
        let moved = self.queues.iter().filter(|turn| turn.has_served);
        moved.filter_map(|turn| {
            let lane = self.lanes.get(turn.lane)?.lane.clone();
            let takes_turns = |l: &&Contender| l.queue == turn.queue && !l.lane.is_plain();
            self.lanes.iter().find(takes_turns)?;
            let served = turn.served;
            Some((turn.queue.as_str(), Turn { lane, served }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{borrow::ToOwned, vec};

    fn tenant(name: &str) -> Lane {
        Lane {
            tenant: Some(name.to_owned()),
            limit: None,
        }
    }

    fn contender(queue: &str, lane: Lane, at: i64) -> Contender {
        Contender {
            queue: queue.to_owned(),
            lane,
            weight: 1,
            starting: Some((Timestamp(at), JobId::from_bytes([at as u8; 16]))),
            resuming: None,
        }
    }

    /// The lanes in the order in which so many jobs are given, each lane having no end of them.
    fn given(turns: &mut Turns, jobs: usize) -> Vec<usize> {
        (0..jobs)
            .map_while(|_| {
                let (index, _) = turns.next()?;
                turns.served(index);
                Some(index)
            })
            .collect()
    }

    #[test]
    fn lanes_of_a_queue_are_served_in_turn_whatever_their_age() {
        let lanes = vec![
            contender("q", tenant("a"), 1),
            contender("q", tenant("b"), 100),
            contender("q", tenant("c"), 50),
        ];
        let mut turns = Turns::new(lanes, |_| 0);
        assert_eq!(given(&mut turns, 5), [0, 1, 2, 0, 1]);
        let stand: Vec<_> = turns.stand().collect();
        assert_eq!(stand[0].1.lane, tenant("c"));
    }

    #[test]
    fn a_turn_goes_on_in_the_next_claim() {
        let weighty = |at| Contender {
            weight: 3,
            ..contender("q", tenant("a"), at)
        };
        let lanes = || vec![weighty(1), contender("q", tenant("b"), 2)];
        let mut turns = Turns::new(lanes(), |_| 0);
        assert_eq!(given(&mut turns, 2), [0, 0]);
        let (_, turn) = turns.stand().next().unwrap();
        assert_eq!((&turn.lane, turn.served), (&tenant("a"), 2));
        let mut turns = Turns::new(lanes(), |_| turn.served);
        assert_eq!(given(&mut turns, 6), [0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn without_tenants_and_limits_the_order_is_that_of_the_jobs() {
        let lanes = vec![
            contender("p", Lane::default(), 9),
            contender("q", Lane::default(), 3),
        ];
        let turns = Turns::new(lanes, |_| 0);
        assert_eq!(turns.next().map(|(index, _)| index), Some(1));
        assert_eq!(turns.stand().count(), 0);
    }

    #[test]
    fn a_claim_that_serves_nobody_moves_no_turn() {
        let lanes = vec![
            contender("q", tenant("a"), 1),
            contender("q", tenant("b"), 2),
        ];
        assert_eq!(Turns::new(lanes, |_| 0).stand().count(), 0);
    }

    #[test]
    fn an_empty_lane_gives_its_turn_away() {
        let mut empty = contender("q", tenant("a"), 1);
        empty.starting = None;
        let lanes = vec![empty, contender("q", tenant("b"), 2)];
        let mut turns = Turns::new(lanes, |_| 0);
        assert_eq!(given(&mut turns, 2), [1, 1]);
    }

    #[test]
    fn no_two_lanes_have_one_text() {
        let limited = |tenant: Option<&str>, scope: &str, key: &str| Lane {
            tenant: tenant.map(str::to_owned),
            limit: Some((scope.to_owned(), key.to_owned())),
        };
        let lanes = [
            Lane::default(),
            tenant("a"),
            tenant("a/b"),
            limited(Some("a"), "b", ""),
            limited(None, "a", "b"),
            limited(None, "a/b", ""),
            limited(Some("a"), "b", "c"),
        ];
        for (i, a) in lanes.iter().enumerate() {
            for b in &lanes[i + 1..] {
                assert_ne!(a.text(), b.text());
            }
            assert_eq!(Lane::read(&a.text()), *a);
        }
    }
}
