//! Claim: leases visible jobs in priority, then `visible_at`, then id order, and settles on the
//! way those whose last attempt lost its worker or whose time is up.

use super::db::Db;
use super::end::end;
use super::fault::Fault;
use super::group::Tx;
use super::lanes::{self, Lane};
use super::whole::Whole;
use super::{inbox, row, sql};
use crate::contract::{Claim, Claimed, Claims, QueueSetting};
use crate::core::{
    self, ClaimVerdict, Head, Job, JobId, Millis, Nudge, Position, StoredError, Timestamp,
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
    let mut lanes = lanes::lanes(**tx, &queues)?;
    let mut jobs = Vec::new();
    if claim.limit > 0 && lanes.iter().any(|lane| lane.first <= tx.now) {
        jobs = lease(tx, claim, &lanes)?;
        lanes = lanes::lanes(**tx, &queues)?;
    }
    Ok(Claims {
        jobs,
        now: tx.now,
        next_visible_at: lanes.iter().map(|lane| lane.first).min(),
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
        let setting: Option<Vec<u8>> =
            db.first(sql::SETTING_LOAD, [QueueSetting::key(&queue)], |columns| {
                columns.take()
            })?;
        if !setting.is_some_and(|value| QueueSetting::read(&value).paused) {
            open.push(queue);
        }
    }
    Ok(open)
}

fn lease(tx: &Tx<'_>, claim: &Claim, lanes: &[Lane]) -> Result<Vec<Claimed>, Fault> {
    let priorities: BTreeSet<i64> = lanes.iter().map(|lane| lane.priority).collect();
    let mut leased = Vec::new();
    // A lease of no length is visible again at once, and must not be found twice.
    let mut seen: BTreeSet<JobId> = BTreeSet::new();
    for priority in priorities {
        while leased.len() < claim.limit && seen.len() < claim.limit + SETTLED_LIMIT_JOBS {
            let mut next: Vec<(Timestamp, JobId)> = Vec::new();
            for lane in lanes.iter().filter(|lane| lane.priority == priority) {
                next.extend(lane.visible(**tx, tx.now, claim.limit)?);
            }
            next.retain(|(_, id)| !seen.contains(id));
            next.sort_unstable();
            next.truncate(claim.limit - leased.len());
            if next.is_empty() {
                break;
            }
            for (_, id) in next {
                seen.insert(id);
                leased.extend(take(tx, claim, id)?);
            }
        }
    }
    Ok(leased)
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
