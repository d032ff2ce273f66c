//! Claim: leases visible jobs in priority, then turn, then `visible_at`, then id order, and settles
//! on the way those whose last attempt lost its worker or whose time is up.

use super::db::Db;
use super::end::end;
use super::fault::Fault;
use super::group::Tx;
use super::lanes::{self, Strip};
use super::lineup::Lineup;
use super::whole::Whole;
use super::{inbox, room, row, sql};
use crate::contract::{Claim, Claimed, Claims, QueueSetting};
use crate::core::{
    self, Blocked, ClaimVerdict, Group, Head, Job, JobId, LANE_LIMIT, Millis, Nudge, Position,
    Room, StoredError, Timestamp, VisibleJob,
};
use crate::torture::seeded;
use rusqlite::params;
use std::collections::BTreeSet;

/// Jobs that one claim looks at beyond those it leases: dead letters and expired ones. The next
/// claim goes on with the rest.
const SETTLED_LIMIT_JOBS: usize = 10_000;

/// How long a row that cannot be read is left alone before it is tried again.
const SET_ASIDE: Millis = Millis::secs(60);

pub(super) fn claim(tx: &Tx<'_>, claim: &Claim) -> Result<Claims, Fault> {
    let queues = open_queues(**tx, claim)?;
    let mut strips = lanes::strips(**tx, &queues, LANE_LIMIT)?;
    let mut claiming = Claiming::new(tx, claim);
    if claim.limit > 0 && strips.iter().any(|strip| strip.first.0 <= tx.now) {
        claiming.lease_all(&queues, strips)?;
        strips = lanes::strips(**tx, &queues, LANE_LIMIT)?;
    }
    Ok(Claims {
        next_visible_at: claiming.next_visible_at(&strips)?,
        held: !claiming.held.is_empty(),
        jobs: claiming.jobs,
        now: tx.now,
    })
}

/// The queues that may be served: those asked for, or all, less the paused.
fn open_queues(db: Db<'_>, claim: &Claim) -> Result<Vec<String>, Fault> {
    let mut queues = if claim.queues.is_empty() {
        lanes::queues(db)?
    } else {
        claim.queues.clone()
    };
    queues.sort_unstable();
    queues.dedup();
    let mut open = Vec::new();
    for queue in queues {
        let setting = room::setting(db, &QueueSetting::key(&queue))?;
        if !setting.is_some_and(|value| QueueSetting::read(&value).paused) {
            open.push(queue);
        }
    }
    Ok(open)
}

/// What became of a row that a claim came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// This claim has had it already.
    Before,
    Leased,
    /// It has ended, or was set aside.
    Settled,
}

/// One claim while it is made.
struct Claiming<'a> {
    tx: &'a Tx<'a>,
    claim: &'a Claim,
    jobs: Vec<Claimed>,
    /// A lease of no length is visible again at once, and must not be found twice.
    seen: BTreeSet<JobId>,
    /// Something has ended on the way.
    has_settled: bool,
    room: Room,
    /// Queues and lanes that a limit holds back.
    held: BTreeSet<(String, String)>,
    /// When the first of the rates that hold something back allows the next start.
    retry_at: Option<Timestamp>,
}

impl<'a> Claiming<'a> {
    fn new(tx: &'a Tx<'a>, claim: &'a Claim) -> Self {
        Claiming {
            tx,
            claim,
            jobs: Vec::new(),
            seen: BTreeSet::new(),
            has_settled: false,
            room: Room::default(),
            held: BTreeSet::new(),
            retry_at: None,
        }
    }

    fn lease_all(&mut self, queues: &[String], strips: Vec<Strip>) -> Result<(), Fault> {
        let priorities: BTreeSet<i64> = strips.iter().map(|strip| strip.priority).collect();
        let mut strips = strips;
        for priority in priorities {
            if self.is_full() {
                break;
            }
            if self.has_settled {
                // What ended may have made others visible.
                strips = lanes::strips(**self.tx, queues, LANE_LIMIT)?;
            }
            let (own, others) = strips.into_iter().partition(|s| s.priority == priority);
            strips = others;
            self.lease_priority(priority, own)?;
        }
        room::store_paces(self.tx, &self.room)
    }

    fn is_full(&self) -> bool {
        self.jobs.len() >= self.claim.limit
            || self.seen.len() >= self.claim.limit + SETTLED_LIMIT_JOBS
    }

    fn lease_priority(&mut self, priority: i64, strips: Vec<Strip>) -> Result<(), Fault> {
        let tx = self.tx;
        let mut lineup = Lineup::new(tx, priority, strips)?;
        while !self.is_full()
            && let Some((index, job)) = lineup.next()
            && let Some((queue, lane)) = lineup.place(index)
        {
            let groups = Group::of(&queue, &lane);
            room::look_at(tx, &mut self.room, &groups)?;
            let starts = lineup.starts(index, job);
            match self.room.check(&groups, starts, tx.now) {
                Ok(()) => {
                    let taken = self.lease(job)?;
                    if taken == Taken::Leased {
                        self.room.take(&groups, starts, tx.now);
                        lineup.served(index);
                    }
                    let wanted = self.claim.limit - self.jobs.len();
                    match taken {
                        Taken::Settled => lineup.renew(tx, index)?,
                        Taken::Before | Taken::Leased => lineup.advance(tx, index, job, wanted)?,
                    }
                }
                Err(Blocked::Full) => {
                    lineup.hold(index, false);
                    self.held.insert((queue, lane.text()));
                }
                Err(Blocked::Until(at)) => {
                    self.retry_at = Some(self.retry_at.map_or(at, |first| first.min(at)));
                    lineup.hold(index, true);
                    self.held.insert((queue, lane.text()));
                }
            }
        }
        lineup.store(tx)
    }

    fn lease(&mut self, (_, id): VisibleJob) -> Result<Taken, Fault> {
        if !self.seen.insert(id) {
            return Ok(Taken::Before);
        }
        let Some(leased) = take(self.tx, self.claim, id)? else {
            self.has_settled = true;
            return Ok(Taken::Settled);
        };
        self.jobs.push(leased);
        Ok(Taken::Leased)
    }

    /// When the next job becomes visible that may then be taken: jobs that are visible in a lane
    /// which is held back do not count.
    fn next_visible_at(&self, strips: &[Strip]) -> Result<Option<Timestamp>, Fault> {
        let mut next = self.retry_at;
        for strip in strips {
            let (first, _) = strip.first;
            let is_held = || {
                let place = (strip.queue.clone(), strip.lane.clone());
                self.held.contains(&place)
            };
            let at = if first <= self.tx.now && is_held() {
                strip.later(**self.tx, self.tx.now)?
            } else {
                Some(first)
            };
            next = next.into_iter().chain(at).min();
        }
        Ok(next)
    }
}

/// Leases one visible row, or settles it. A row that cannot be read is set aside, so that it
/// stops nobody else.
fn take(tx: &Tx<'_>, claim: &Claim, id: JobId) -> Result<Option<Claimed>, Fault> {
    match tx.item(|tx| take_one(tx, claim, id)) {
        Err(fault) if fault.is_one_items() => {
            let error = fault.before_write(&tx.shared.path);
            tracing::error!(job = %id, %error, "a job cannot be leased and is set aside for a minute");
            let later = tx.now.after(SET_ASIDE);
            tx.run(sql::CLAIM_SET_ASIDE, params![id.as_bytes(), later.0])?;
            Ok(None)
        }
        taken => taken,
    }
}

fn take_one(tx: &Tx<'_>, claim: &Claim, id: JobId) -> Result<Option<Claimed>, Fault> {
    // Its row was found in this very transaction. Passed over, half a job would be found again by
    // each claim, and keep the worker spinning.
    let job = tx
        .first(sql::JOB_LOAD, [id.as_bytes()], row::read_job)?
        .ok_or_else(|| Fault::Corrupt(format!("job {id} has no row of what was asked for")))?;
    let timeout = job
        .spec
        .visibility_timeout
        .unwrap_or(claim.visibility_timeout);
    match core::claim(&job.spec, &job.head, tx.now, timeout, claim.nonce) {
        ClaimVerdict::Bury { head, error } | ClaimVerdict::Expire { head, error } => {
            settle(tx, id, head, error)?;
            Ok(None)
        }
        ClaimVerdict::Lease { head } => store_lease(tx, claim, job, head).map(Some),
        ClaimVerdict::Skip => Ok(None),
    }
}

fn settle(tx: &Tx<'_>, id: JobId, head: Head, error: StoredError) -> Result<(), Fault> {
    if let Some(mut whole) = Whole::live(**tx, id)? {
        whole.job.head = head;
        whole.job.notes.error = Some(error);
        end(tx, &whole)?;
    }
    Ok(())
}

fn store_lease(tx: &Tx<'_>, claim: &Claim, mut job: Job, head: Head) -> Result<Claimed, Fault> {
    let id = job.spec.id;
    tx.run(
        sql::CLAIM_LEASE,
        params![
            id.as_bytes(),
            head.state.as_str(),
            head.revision.cast_signed(),
            head.attempt,
            head.lease_losses,
            head.token.epoch.cast_signed(),
            head.token.nonce.cast_signed(),
            head.visible_at.map(|end| seeded::lease_end(tx.now, end).0),
            row::instant(head.started_at),
            claim.worker,
        ],
    )?;
    // A job that was never leased has no journal unless it is a fork, and one that was never nudged
    // no inbox: the first attempt reads neither.
    let first = job.head.token.epoch == 0
        && job.head.started_at.is_none()
        && job.head.next_position == Position::default();
    let journal = if first {
        Vec::new()
    } else {
        row::journal(**tx, id)?
    };
    let inbox = if head.nudge == 0 {
        Vec::new()
    } else {
        inbox::news(**tx, id)?
    };
    let nudge = Nudge {
        count: head.nudge,
        inbox,
    };
    job.head = head;
    job.notes.worker = Some(claim.worker.clone());
    Ok(Claimed {
        job,
        journal,
        nudge,
    })
}
