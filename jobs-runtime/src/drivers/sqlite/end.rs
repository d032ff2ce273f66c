//! The end of a job: out of live storage, its key free, and whoever asked told of it.

use super::fault::Fault;
use super::group::{Hints, Tx};
use super::whole::{self, Whole};
use super::{inbox, keys, sql};
use crate::core::{InboxContent, JobId};

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
    keys::release(**tx, spec, tx.now)?;
    tx.hint(Hints {
        ended: true,
        ..Hints::default()
    });
    for parent in told {
        report(tx, whole, parent)?;
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
