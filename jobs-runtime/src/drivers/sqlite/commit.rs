//! Commit: what `core` decided, with everything that changes together.
//!
//! A job that stays live is changed row by row; one that ends or is revived moves as a whole.

use super::chain::carry;
use super::children::{adopt, cancel_owned, children_of, wait_again};
use super::end::{end, pass_key_on};
use super::enqueue::insert;
use super::fault::Fault;
use super::group::{Hints, Tx};
use super::publish::publish_one;
use super::whole::Whole;
use super::{inbox, keys, row, sql};
use crate::contract::Conflicted;
use crate::core::{
    self, Applied, Commit, CommitAnswer, CommitGuard, Decision, Head, JobId, JobNotes,
    LOG_LIMIT_LINES, NewJob, Settle, State, StoredError, Timestamp,
};
use crate::torture::seeded;
use rusqlite::params;

/// Applies commits in order, each apart from the others.
pub(super) fn commit(tx: &Tx<'_>, commits: &[Commit]) -> Result<Vec<CommitAnswer>, Fault> {
    commits
        .iter()
        .map(|commit| commit_one(tx, commit))
        .collect()
}

fn commit_one(tx: &Tx<'_>, commit: &Commit) -> Result<CommitAnswer, Fault> {
    match tx.item(|tx| apply(tx, commit)) {
        Err(fault) if fault.is_one_items() => {
            // The job's row or the commit itself cannot be stored or read. Its worker must let go
            // of it, or it would try for ever and hold up what is batched with it.
            let error = fault.before_write(&tx.shared.path);
            tracing::error!(job = %commit.job, %error, "a commit cannot be applied; its lease is given up");
            Ok(match commit.guard {
                CommitGuard::Lease(_) => CommitAnswer::LeaseLost,
                CommitGuard::Revision(_) => CommitAnswer::Conflict,
            })
        }
        answer => answer,
    }
}

fn apply(tx: &Tx<'_>, commit: &Commit) -> Result<CommitAnswer, Fault> {
    let live = tx.first(sql::HEAD_LOAD, [commit.job.as_bytes()], |columns| {
        Ok((row::read_head(columns)?, columns.take()?))
    })?;
    let Some((head, tenant)) = live else {
        return apply_archived(tx, commit);
    };
    let tenant: Option<String> = tenant;
    if head.state == State::Running && commit.settle.is_some() {
        tx.hint(Hints {
            freed: true,
            ..Hints::default()
        });
    }
    let news = |seen| inbox::nudge(**tx, commit.job, head.nudge, seen);
    match seeded::decide(&head, commit, tx.now) {
        // An earlier try was applied. What the writer has not seen must be in this answer too: it
        // takes its absence for "there was nothing".
        Decision::Answer(CommitAnswer::Applied(_)) => Ok(CommitAnswer::Applied(Applied {
            children: children_of(tx, commit)?,
            nudge: news(commit.seen_nudge)?,
        })),
        Decision::Answer(answer) => Ok(answer),
        Decision::Nudged => Ok(CommitAnswer::Nudged(core::Nudge {
            count: head.nudge,
            inbox: inbox::news(**tx, commit.job)?,
        })),
        Decision::Apply { head: next, .. } if commit.settle == Some(Settle::Requeue) => {
            let Some(whole) = Whole::live(**tx, commit.job)? else {
                return Ok(CommitAnswer::LeaseLost);
            };
            if let Some(holder) = newer_holder(tx, &whole)? {
                return Ok(CommitAnswer::Duplicate(holder));
            }
            keys::take(**tx, &whole.job.spec, None, None)?;
            move_on(tx, commit, &head, &next, None, tenant.as_deref())
        }
        Decision::Apply { head: next, error } if next.state.is_live() => {
            move_on(tx, commit, &head, &next, error, tenant.as_deref())
        }
        Decision::Apply { head: next, error } => {
            let Some(mut whole) = Whole::live(**tx, commit.job)? else {
                return Ok(CommitAnswer::LeaseLost);
            };
            let clean_up = (next.state == State::Cancelled)
                .then(|| core::clean_up(&whole.job.spec, &head, tx.now))
                .flatten();
            whole.write_down(commit, next, error);
            if let Some(Settle::Continue { next }) = &commit.settle {
                go_on(tx, &mut whole, next)?;
            }
            let answer = finish(tx, commit, &whole)?;
            if let Some(clean_up) = clean_up {
                // Refused only if it is there already.
                drop(insert(tx, &clean_up)?);
            }
            Ok(answer)
        }
    }
}

/// Enqueues the run that goes on where this one ends. It takes the key over, also one that is
/// kept for longer; a job that follows already goes before it. Either gets the events.
fn go_on(tx: &Tx<'_>, whole: &mut Whole, next: &NewJob) -> Result<(), Fault> {
    pass_key_on(tx, &whole.job.spec, Timestamp(i64::MAX))?;
    let goes_on = match insert(tx, next)? {
        Ok(enqueued) => enqueued.id,
        Err(Conflicted::KeyTaken(holder)) => holder,
        Err(Conflicted::Refused(error)) => return Err(Fault::Refused(error)),
    };
    whole.job.notes.continued_to = Some(goes_on);
    carry(tx, whole, goes_on)
}

/// A commit to a job that is not live: a late worker, or a person who revives it.
fn apply_archived(tx: &Tx<'_>, commit: &Commit) -> Result<CommitAnswer, Fault> {
    let Some(mut whole) = Whole::archived(**tx, commit.job)? else {
        return Ok(match commit.guard {
            CommitGuard::Lease(_) => CommitAnswer::LeaseLost,
            CommitGuard::Revision(_) => CommitAnswer::Conflict,
        });
    };
    match seeded::decide(&whole.job.head, commit, tx.now) {
        Decision::Answer(CommitAnswer::Applied(_)) => Ok(CommitAnswer::Applied(Applied {
            children: whole.children_of(commit),
            nudge: whole.news(commit.seen_nudge),
        })),
        Decision::Answer(answer) => Ok(answer),
        Decision::Nudged => Ok(CommitAnswer::LeaseLost),
        Decision::Apply { head, error } => {
            if head.state.is_live()
                && let Some(holder) = newer_holder(tx, &whole)?
            {
                return Ok(CommitAnswer::Duplicate(holder));
            }
            whole.unarchive(**tx)?;
            whole.write_down(commit, head, error);
            if !whole.job.head.state.is_live() {
                return finish(tx, commit, &whole);
            }
            keys::take(**tx, &whole.job.spec, None, None)?;
            whole.revive(**tx)?;
            tx.hint(Hints {
                ready: true,
                ..Hints::default()
            });
            inbox::match_stored(tx, commit.job, whole.job.spec.tenant.as_deref())?;
            wait_again(tx, commit.job)?;
            let children = consequences(tx, commit)?;
            applied(tx, commit, children)
        }
    }
}

/// Changes the rows of a job that stays in live storage.
fn move_on(
    tx: &Tx<'_>,
    commit: &Commit,
    before: &Head,
    next: &Head,
    error: Option<StoredError>,
    tenant: Option<&str>,
) -> Result<CommitAnswer, Fault> {
    let id = commit.job;
    for name in &commit.removed {
        tx.run(sql::TOLD_DELETE, params![id.as_bytes(), name])?;
        tx.run(sql::STEP_DELETE, params![id.as_bytes(), name])?;
    }
    let mut waits = !commit.removed.is_empty() || commit.settle == Some(Settle::Requeue);
    for record in &commit.records {
        row::upsert_step(**tx, id, record)?;
        // A delivered wait may have made room in the inbox.
        waits |= inbox::register(**tx, id, record)? || record.event.is_some();
    }
    if commit.settle.is_none() {
        tx.run(
            sql::HEAD_PROGRESS,
            params![
                id.as_bytes(),
                next.revision.cast_signed(),
                next.next_position.0,
                next.last_commit.token.epoch.cast_signed(),
                next.last_commit.token.nonce.cast_signed(),
                next.last_commit.number.cast_signed(),
            ],
        )?;
    } else {
        row::update_head(**tx, id, next)?;
        tx.hint(Hints {
            ready: next.visible_at.is_some(),
            ..Hints::default()
        });
    }
    take_notes(tx, commit, error)?;
    if waits {
        inbox::match_stored(tx, id, tenant)?;
    }
    let children = consequences(tx, commit)?;
    let quiet = !waits && commit.children.is_empty() && commit.events.is_empty();
    if quiet {
        let nudge = inbox::nudge(**tx, id, before.nudge, commit.seen_nudge)?;
        return Ok(CommitAnswer::Applied(Applied { children, nudge }));
    }
    applied(tx, commit, children)
}

/// Ends a job. Before the children: one of them may carry the key that becomes free here.
fn finish(tx: &Tx<'_>, commit: &Commit, whole: &Whole) -> Result<CommitAnswer, Fault> {
    end(tx, whole)?;
    if commit.settle == Some(Settle::Cancel) {
        cancel_owned(tx, commit.job)?;
    }
    let children = consequences(tx, commit)?;
    Ok(CommitAnswer::Applied(Applied {
        children,
        nudge: whole.news(commit.seen_nudge),
    }))
}

/// The children and events that a commit carries.
pub(super) fn consequences(tx: &Tx<'_>, commit: &Commit) -> Result<Vec<JobId>, Fault> {
    let children = commit
        .children
        .iter()
        .map(|child| adopt(tx, commit.job, child))
        .collect::<Result<_, _>>()?;
    for event in &commit.events {
        publish_one(tx, event)?;
    }
    Ok(children)
}

/// The answer from the row as it now stands: the commit itself may have pinned something.
pub(super) fn applied(
    tx: &Tx<'_>,
    commit: &Commit,
    children: Vec<JobId>,
) -> Result<CommitAnswer, Fault> {
    let head = tx.first(sql::HEAD_LOAD, [commit.job.as_bytes()], row::read_head)?;
    let count = head.map_or(0, |head| head.nudge);
    let nudge = inbox::nudge(**tx, commit.job, count, commit.seen_nudge)?;
    Ok(CommitAnswer::Applied(Applied { children, nudge }))
}

/// The job that took a requeued job's key in the meantime.
fn newer_holder(tx: &Tx<'_>, whole: &Whole) -> Result<Option<JobId>, Fault> {
    let spec = &whole.job.spec;
    let Some(key) = &spec.key else {
        return Ok(None);
    };
    let holder = keys::holder(**tx, &spec.scope, key, tx.now)?;
    Ok(holder
        .map(|holder| holder.job)
        .filter(|job| *job != spec.id))
}

/// What people may read of a job that stays live. Most commits have nothing to note.
fn take_notes(tx: &Tx<'_>, commit: &Commit, error: Option<StoredError>) -> Result<(), Fault> {
    let id = commit.job;
    if error.is_some() || commit.progress.is_some() || commit.trace.is_some() {
        let notes = tx.first(sql::NOTE_LOAD, [id.as_bytes()], |columns| columns.json())?;
        let notes: JobNotes = notes.unwrap_or_default();
        let notes = JobNotes {
            error: error.or(notes.error),
            progress: commit.progress.clone().or(notes.progress),
            trace: commit.trace.clone().or(notes.trace),
            ..notes
        };
        let text = super::db::write_json(&notes)?;
        tx.run(sql::NOTE_STORE, params![id.as_bytes(), text])?;
    }
    for line in &commit.log {
        tx.run(
            sql::LOG_INSERT,
            params![id.as_bytes(), line.at.0, line.text],
        )?;
    }
    if !commit.log.is_empty() {
        let kept = i64::try_from(LOG_LIMIT_LINES).unwrap_or(i64::MAX);
        tx.run(sql::LOG_TRIM, params![id.as_bytes(), kept])?;
    }
    Ok(())
}
