//! The end of a job: out of live storage, its key free, and whoever asked told of it.

use super::fault::Fault;
use super::group::{Hints, Tx};
use super::whole::{self, Whole};
use super::{inbox, keys, row, sql};
use crate::core::{InboxContent, JobId, JobSpec, Timestamp, released};

/// The counter that orders events and ends of children alike.
pub(super) const PUBLICATION: &str = "publication";

/// Stores a job that has reached a final state. `told` has its place in live storage, so it must
/// be read before the row goes.
pub(super) fn end(tx: &Tx<'_>, whole: &Whole) -> Result<(), Fault> {
    let spec = &whole.job.spec;
    let told: Vec<JobId> = tx.all(sql::TOLD_LOAD, [spec.id.as_bytes()], |columns| {
        columns.id(JobId::from_bytes)
    })?;
    tx.run(sql::JOB_DELETE, [spec.id.as_bytes()])?;
    whole.archive(**tx)?;
    pass_key_on(tx, spec, tx.now)?;
    tx.hint(Hints {
        ended: true,
        ..Hints::default()
    });
    for parent in told {
        report(tx, whole, parent)?;
    }
    Ok(())
}

/// Frees the key of a job that ends, unless it is kept for longer than `now`. A job that follows
/// gets it, and may run.
pub(super) fn pass_key_on(tx: &Tx<'_>, spec: &JobSpec, now: Timestamp) -> Result<(), Fault> {
    let Some(next) = keys::release(**tx, spec, now)? else {
        return Ok(());
    };
    let head = tx.first(sql::HEAD_LOAD, [next.job.as_bytes()], row::read_head)?;
    if let Some(head) = head {
        row::update_head(**tx, next.job, &released(&head, next.from, tx.now))?;
        tx.hint(Hints {
            ready: true,
            ..Hints::default()
        });
    }
    Ok(())
}

/// Pins the end of a job to a run that waits for it, if that run still lives.
pub(super) fn report(tx: &Tx<'_>, child: &Whole, parent: JobId) -> Result<(), Fault> {
    let Some(outcome) = whole::outcome(&child.job) else {
        return Ok(());
    };
    let content = InboxContent::Child {
        job: child.job.spec.id,
        outcome,
    };
    let seq = tx.count(PUBLICATION)?;
    inbox::pin(tx, parent, seq, &content)?;
    Ok(())
}
