//! Claim and heartbeat: leases given and made longer.

use super::lacks::{Need, Part};
use super::lanes::Queue;
use super::store::Store;
use crate::contract::{
    Beat, BeatAnswer, Claim, Claimed, Claims, QueueSetting, Standing, TenantSetting, limit_of,
};
use crate::core::{
    self, Blocked, ClaimVerdict, Contender, Group, JobId, LANE_LIMIT, Lane, Limit, Millis, Pace,
    Position, Priority, Room, State, Timestamp, Turns,
};
use crate::torture::seeded;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::mem;

/// States whose visible jobs begin an attempt.
const STARTING: [State; 2] = [State::Pending, State::Running];
/// Those whose visible jobs go on with one.
const RESUMING: [State; 1] = [State::Suspended];

/// One claim while it is made.
struct Claiming<'a> {
    claim: &'a Claim,
    now: Timestamp,
    queues: BTreeSet<String>,
    /// What was leased, and when each lease ends.
    leased: Vec<(JobId, Option<Timestamp>)>,
    room: Room,
    /// Lanes that a limit holds back.
    held: BTreeSet<(String, Lane)>,
    /// When the first of the rates that hold something back allows the next start.
    retry_at: Option<Timestamp>,
}

impl Store {
    pub(crate) fn claim(&mut self, claim: &Claim, now: Timestamp) -> Claims {
        let mut claiming = Claiming {
            claim,
            now,
            queues: self.open_queues(claim),
            leased: Vec::new(),
            room: Room::default(),
            held: BTreeSet::new(),
            retry_at: None,
        };
        for priority in self.priorities(&claiming.queues) {
            self.claim_priority(&mut claiming, priority);
        }
        let jobs = mem::take(&mut claiming.leased)
            .into_iter()
            .filter_map(|(id, end)| self.claimed(id, end, now))
            .collect();
        for (group, pace) in claiming.room.paces() {
            self.paces.insert(group.clone(), pace);
        }
        Claims {
            jobs,
            now,
            next_visible_at: self.next_visible_at(&claiming),
            held: !claiming.held.is_empty(),
        }
    }

    fn claim_priority(&mut self, claiming: &mut Claiming<'_>, priority: Priority) {
        let now = claiming.now;
        let mut turns = self.turns(&claiming.queues, priority, now);
        while claiming.leased.len() < claiming.claim.limit
            && let Some((index, job)) = turns.next()
            && let Some(contender) = turns.lane(index)
        {
            let (queue, lane) = (contender.queue.clone(), contender.lane.clone());
            let starts = contender.starting == Some(job);
            let groups = Group::of(&queue, &lane);
            self.look_at(&mut claiming.room, &groups, now);
            let (mut starting, mut resuming) = (None, None);
            match claiming.room.check(&groups, starts, now) {
                Ok(()) => {
                    if self.lease(claiming, job.1) {
                        claiming.room.take(&groups, starts, now);
                        turns.served(index);
                    }
                    (starting, resuming) = self.firsts(&queue, priority, &lane, now);
                }
                Err(Blocked::Full) => drop(claiming.held.insert((queue, lane))),
                Err(Blocked::Until(at)) => {
                    let first = claiming.retry_at.map_or(at, |other| other.min(at));
                    claiming.retry_at = Some(first);
                    resuming = contender.resuming;
                    claiming.held.insert((queue, lane));
                }
            }
            if let Some(contender) = turns.lane_mut(index) {
                (contender.starting, contender.resuming) = (starting, resuming);
            }
        }
        for (queue, turn) in turns.stand() {
            self.turns.insert((queue.to_owned(), priority), turn);
        }
    }

    /// Leases a visible row, or settles it. True if it was leased.
    fn lease(&mut self, claiming: &mut Claiming<'_>, id: JobId) -> bool {
        let (claim, now) = (claiming.claim, claiming.now);
        let Some(mut row) = self.take(id) else {
            return false;
        };
        let timeout = row
            .spec
            .visibility_timeout
            .unwrap_or(claim.visibility_timeout);
        match core::claim(&row.spec, &row.head, now, timeout, claim.nonce) {
            ClaimVerdict::Bury { head, error } | ClaimVerdict::Expire { head, error } => {
                row.head = head;
                self.put_ended(row, Some(error), now);
                false
            }
            ClaimVerdict::Lease { head } => {
                row.head = head;
                row.notes.worker = Some(claim.worker.clone());
                claiming.leased.push((id, row.head.visible_at));
                // Back at once: a job that ends further down may have something to tell it. A lease
                // of no length must not be found twice by one claim.
                let later = now.after(Millis(1));
                row.head.visible_at = row.head.visible_at.max(Some(later));
                self.put(row);
                true
            }
            ClaimVerdict::Skip => {
                // Only what is visible was looked at, so the core cannot say so; if it does, the
                // row is set aside for this claim, which would find it for ever.
                tracing::error!(job = %id, "a visible job cannot be leased");
                row.head.visible_at = Some(now.after(Millis(1)));
                self.put(row);
                false
            }
        }
    }

    /// What is told of a leased row, which ends when it was decided to.
    fn claimed(&mut self, id: JobId, end: Option<Timestamp>, now: Timestamp) -> Option<Claimed> {
        let mut row = self.take(id)?;
        // A job that was never leased has no journal unless it is a fork, and one that was never
        // nudged no inbox: the first attempt reads neither.
        self.needs_part(id, Part::Spec);
        if row.head.token.epoch > 1 || row.head.next_position != Position::default() {
            self.needs_part(id, Part::Whole);
        } else if row.head.nudge > 0 {
            self.needs_part(id, Part::News);
        }
        row.head.visible_at = end;
        let claimed = Claimed {
            job: row.job(),
            journal: row.records(),
            nudge: row.nudge(),
        };
        row.head.visible_at = end.map(|end| seeded::lease_end(now, end));
        self.put(row);
        Some(claimed)
    }

    /// The lanes of one priority with visible jobs, those of a queue in the order of their turns.
    fn turns(&self, queues: &BTreeSet<String>, priority: Priority, now: Timestamp) -> Turns {
        let mut contenders = Vec::new();
        let mut served = BTreeMap::new();
        for (name, queue) in self
            .lanes
            .queues()
            .filter(|(name, _)| queues.contains(*name))
        {
            let lanes: Vec<&Lane> = queue.lanes(priority).into_iter().collect();
            if lanes.iter().any(|lane| !lane.is_plain()) {
                self.needs(|| Need::Turn(name.clone(), priority));
            }
            let turn = self.turns.get(&(name.clone(), priority));
            let begin = turn.map_or(0, |turn| lanes.partition_point(|lane| **lane < turn.lane));
            if let Some(turn) = turn
                && lanes.get(begin).is_some_and(|lane| **lane == turn.lane)
            {
                served.insert(name.clone(), turn.served);
            }
            let (before, from) = lanes.split_at(begin.min(lanes.len()));
            for lane in from.iter().chain(before).take(LANE_LIMIT) {
                let (starting, resuming) = firsts(queue, priority, lane, now);
                contenders.push(Contender {
                    queue: name.clone(),
                    lane: (*lane).clone(),
                    weight: self.weight(lane),
                    starting,
                    resuming,
                });
            }
        }
        Turns::new(contenders, |queue| served.get(queue).copied().unwrap_or(0))
    }

    fn firsts(&self, queue: &str, priority: Priority, lane: &Lane, now: Timestamp) -> Firsts {
        let mut queues = self.lanes.queues();
        queues
            .find(|(name, _)| *name == queue)
            .map_or((None, None), |(_, queue)| {
                firsts(queue, priority, lane, now)
            })
    }

    fn weight(&self, lane: &Lane) -> u32 {
        let setting = lane
            .tenant
            .as_deref()
            .and_then(|tenant| self.setting(&TenantSetting::key(tenant)));
        setting
            .and_then(|value| TenantSetting::read(&value).weight)
            .unwrap_or(1)
    }

    /// Sees to it that the room knows these groups.
    fn look_at(&self, room: &mut Room, groups: &[Group], now: Timestamp) {
        for group in groups {
            if !room.knows(group) {
                let standing = self.standing(group, now);
                room.add(standing.group, standing.limit, standing.live, standing.pace);
            }
        }
    }

    /// How a group stands with its limit.
    pub(crate) fn standing(&self, group: &Group, now: Timestamp) -> Standing {
        let Ok(limit) = limit_of(group, |key| Ok::<_, Infallible>(self.setting(key)));
        Standing {
            group: group.clone(),
            limit,
            live: limit.concurrency.map_or(0, |_| self.live(group, now)),
            pace: self.pace(group, &limit),
        }
    }

    fn pace(&self, group: &Group, limit: &Limit) -> Pace {
        if limit.rate.is_some() {
            self.needs(|| Need::Pace(group.clone()));
        }
        self.paces.get(group).copied().unwrap_or_default()
    }

    fn live(&self, group: &Group, now: Timestamp) -> u32 {
        if let Some(known) = &self.known {
            known.ask(Need::Live(group.clone()));
            return known.live(group);
        }
        let live: usize = self
            .lanes
            .queues()
            .map(|(name, queue)| queue.live(name, group, now))
            .sum();
        u32::try_from(live).unwrap_or(u32::MAX)
    }

    fn setting(&self, key: &str) -> Option<Vec<u8>> {
        self.needs(|| Need::Setting(key.to_owned()));
        Some(self.settings.get(key)?.value.clone())
    }

    fn priorities(&self, queues: &BTreeSet<String>) -> BTreeSet<Priority> {
        let open = self
            .lanes
            .queues()
            .filter(|(name, _)| queues.contains(*name));
        open.flat_map(|(_, queue)| queue.priorities()).collect()
    }

    /// The names of the queues that may be served: those asked for, or all, less the paused.
    fn open_queues(&self, claim: &Claim) -> BTreeSet<String> {
        self.lanes
            .queues()
            .map(|(name, _)| name)
            .filter(|name| claim.queues.is_empty() || claim.queues.contains(name))
            .filter(|name| !self.is_paused(name))
            .cloned()
            .collect()
    }

    fn is_paused(&self, queue: &str) -> bool {
        let value = self.setting(&QueueSetting::key(queue));
        value.is_some_and(|value| QueueSetting::read(&value).paused)
    }

    fn next_visible_at(&self, claiming: &Claiming<'_>) -> Option<Timestamp> {
        let open = self
            .lanes
            .queues()
            .filter(|(name, _)| claiming.queues.contains(*name));
        let next = open.filter_map(|(name, queue)| {
            let held = |lane: &Lane| claiming.held.contains(&(name.clone(), lane.clone()));
            queue.next_visible_at(claiming.now, held)
        });
        next.chain(claiming.retry_at).min()
    }

    pub(crate) fn heartbeat(&mut self, beat: &Beat, now: Timestamp) -> BeatAnswer {
        let Some(row) = self.find(beat.job) else {
            return BeatAnswer::Lost;
        };
        if row.head.nudge > beat.seen_nudge {
            self.needs_part(beat.job, Part::News);
        }
        if row.head.state == State::Cancelled {
            return BeatAnswer::Cancelled;
        }
        let Some(head) = core::heartbeat(&row.head, beat.token, now, beat.visibility_timeout)
        else {
            return BeatAnswer::Lost;
        };
        let Some(mut row) = self.take(beat.job) else {
            return BeatAnswer::Lost;
        };
        let answer = BeatAnswer::Held {
            until: head.visible_at.unwrap_or(now),
            nudge: row.news(beat.seen_nudge),
            cancel_requested: head.cancel_requested,
        };
        let end = head.visible_at;
        row.head = head;
        row.head.visible_at = end.map(|end| seeded::lease_end(now, end));
        self.put(row);
        answer
    }
}

type Firsts = (Option<core::VisibleJob>, Option<core::VisibleJob>);

fn firsts(queue: &Queue, priority: Priority, lane: &Lane, now: Timestamp) -> Firsts {
    let first = |states| queue.first(states, priority, lane, now);
    (first(&STARTING), first(&RESUMING))
}
