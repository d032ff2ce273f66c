//! Children: enqueued with the commit that wants them, told of, and cancelled with their parent
//! (R10).

use super::end::{PUBLICATION, end};
use super::enqueue::{insert, tell};
use super::fault::Fault;
use super::group::Tx;
use super::whole::Whole;
use super::{inbox, keys, sql};
use crate::Error;
use crate::contract::{Conflicted, EnqueueAnswer, check_job};
use crate::core::{
    Commit, InboxContent, JobId, NewJob, StepOutcome, StoredError, cancelled_with_parent,
    child_cycle, child_gone, child_outcome, clean_up,
};
use rusqlite::params;
use std::collections::VecDeque;

/// Enqueues a child, or joins the job that holds its key. A child that is refused has ended by
/// that: its parent is told, and the rest of the commit is not at fault.
pub(super) fn adopt(tx: &Tx<'_>, parent: JobId, child: &NewJob) -> Result<JobId, Fault> {
    let asked = child.spec.id;
    let waits = child.spec.parent.is_some();
    if waits && let Some(error) = would_follow_an_ancestor(tx, parent, child)? {
        return refuse(tx, parent, child, error);
    }
    let error = match store(tx, child)? {
        Ok(enqueued) if !waits => {
            let outcome = StepOutcome::Done(enqueued.payload());
            let content = InboxContent::Detached {
                job: asked,
                outcome,
            };
            pin(tx, parent, &content)?;
            return Ok(enqueued.id);
        }
        Ok(enqueued) => match join(tx, parent, asked, enqueued.id)? {
            Ok(()) => return Ok(enqueued.id),
            Err(error) => error,
        },
        Err(Conflicted::KeyTaken(holder)) => {
            let key = child.spec.key.as_deref().unwrap_or_default();
            Error::key_taken(&child.spec.name, key, holder).stored()
        }
        Err(Conflicted::Refused(error)) => error.stored(),
    };
    refuse(tx, parent, child, error)
}

/// A child that may take the place of another waits until that has ended; if that one waits for
/// the parent, neither ever would.
fn would_follow_an_ancestor(
    tx: &Tx<'_>,
    parent: JobId,
    child: &NewJob,
) -> Result<Option<StoredError>, Fault> {
    let Some(key) = child.spec.key.as_ref().filter(|_| child.may_follow()) else {
        return Ok(None);
    };
    match keys::holder(**tx, &child.spec.scope, key, tx.now)? {
        Some(holder) => cycle(tx, parent, holder.job),
        None => Ok(None),
    }
}

/// The refusal if `waiter` waits for the parent, directly or through others.
fn cycle(tx: &Tx<'_>, parent: JobId, waiter: JobId) -> Result<Option<StoredError>, Fault> {
    let waits = tx.first(
        sql::CHILD_WAITS,
        params![parent.as_bytes(), waiter.as_bytes()],
        |columns| columns.take::<bool>(),
    )?;
    if waits != Some(true) {
        return Ok(None);
    }
    let waiter = Whole::live(**tx, waiter)?;
    Ok(waiter.map(|waiter| child_cycle(&waiter.job.spec)))
}

fn refuse(tx: &Tx<'_>, parent: JobId, child: &NewJob, error: StoredError) -> Result<JobId, Fault> {
    let asked = child.spec.id;
    let outcome = StepOutcome::Failed(error);
    let content = if child.spec.parent.is_some() {
        InboxContent::Child {
            job: asked,
            outcome,
        }
    } else {
        InboxContent::Detached {
            job: asked,
            outcome,
        }
    };
    pin(tx, parent, &content)?;
    Ok(asked)
}

/// Stores a child apart from the commit: what is wrong with it alone must not undo the rest.
fn store(tx: &Tx<'_>, child: &NewJob) -> Result<EnqueueAnswer, Fault> {
    if let Err(error) = check_job(child, &tx.shared.capabilities) {
        return Ok(Err(Conflicted::Refused(error)));
    }
    match tx.item(|tx| insert(tx, child)) {
        Err(fault) if fault.is_one_items() => {
            let error = fault.before_write(&tx.shared.path);
            Ok(Err(Conflicted::Refused(error)))
        }
        answer => answer,
    }
}

/// Lets a parent hear of a job's end, at once if it has ended.
fn join(
    tx: &Tx<'_>,
    parent: JobId,
    asked: JobId,
    joined: JobId,
) -> Result<Result<(), StoredError>, Fault> {
    if joined != asked {
        if let Some(error) = cycle(tx, parent, joined)? {
            return Ok(Err(error));
        }
        tx.run(
            sql::CHILD_RENAME,
            params![parent.as_bytes(), asked.as_bytes(), joined.as_bytes()],
        )?;
        tx.run(
            sql::INBOX_FORGET,
            params![parent.as_bytes(), joined.as_bytes()],
        )?;
    }
    hear_of(tx, parent, joined)?;
    Ok(Ok(()))
}

fn hear_of(tx: &Tx<'_>, parent: JobId, child: JobId) -> Result<(), Fault> {
    if tell(tx, child, parent)? {
        return Ok(());
    }
    let outcome = match Whole::archived(**tx, child)? {
        Some(Whole { job, .. }) => child_outcome(&job.spec, &job.head, &job.notes),
        None => Some(StepOutcome::Failed(child_gone(child))),
    };
    match outcome {
        Some(outcome) => report(tx, parent, child, outcome),
        None => Ok(()),
    }
}

/// Pins the end of a job to a run that waits for it, if that run still lives.
pub(super) fn report(
    tx: &Tx<'_>,
    parent: JobId,
    job: JobId,
    outcome: StepOutcome,
) -> Result<(), Fault> {
    pin(tx, parent, &InboxContent::Child { job, outcome })
}

fn pin(tx: &Tx<'_>, parent: JobId, content: &InboxContent) -> Result<(), Fault> {
    let seq = tx.count(PUBLICATION)?;
    inbox::pin(tx, parent, seq, content)?;
    Ok(())
}

/// A revived run hears of the children that have ended while it was not live.
pub(super) fn wait_again(tx: &Tx<'_>, parent: JobId) -> Result<(), Fault> {
    let awaited = tx.all(sql::CHILD_AWAITED, [parent.as_bytes()], |columns| {
        columns.id(JobId::from_bytes)
    })?;
    for child in awaited {
        hear_of(tx, parent, child)?;
    }
    Ok(())
}

/// Cancels the live children that a cancelled job owns, and theirs. What is joined belongs to
/// somebody else.
pub(super) fn cancel_owned(tx: &Tx<'_>, parent: JobId) -> Result<(), Fault> {
    let mut parents = VecDeque::from([parent]);
    while let Some(parent) = parents.pop_front() {
        let owned = tx.all(sql::CHILD_OWNED, [parent.as_bytes()], |columns| {
            columns.id(JobId::from_bytes)
        })?;
        for child in owned {
            let Some(mut whole) = Whole::live(**tx, child)? else {
                continue;
            };
            if let Some(head) = cancelled_with_parent(&whole.job.head, tx.now) {
                let clean_up = clean_up(&whole.job.spec, &whole.job.head, tx.now);
                whole.job.head = head;
                end(tx, &whole)?;
                if let Some(clean_up) = clean_up {
                    // Refused only if it is there already.
                    drop(insert(tx, &clean_up)?);
                }
                parents.push_back(child);
            }
        }
    }
    Ok(())
}

/// The jobs that the children of a stored commit have become: another one where it held the key.
pub(super) fn children_of(tx: &Tx<'_>, commit: &Commit) -> Result<Vec<JobId>, Fault> {
    let become_of = |child: &NewJob| -> Result<JobId, Fault> {
        let Some(parent) = &child.spec.parent else {
            return Ok(child.spec.id);
        };
        let found = tx.first(
            sql::CHILD_OF_STEP,
            params![commit.job.as_bytes(), parent.step],
            |columns| columns.maybe_id(JobId::from_bytes),
        )?;
        Ok(found.flatten().unwrap_or(child.spec.id))
    };
    commit.children.iter().map(become_of).collect()
}
