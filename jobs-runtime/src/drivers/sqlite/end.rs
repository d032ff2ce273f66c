//! The end of a job: out of live storage, its key free, and whoever asked told of it.

use super::chain::mark;
use super::children::report;
use super::fault::Fault;
use super::group::{Hints, Tx};
use super::whole::Whole;
use super::{keys, row, sql};
use crate::core::{JobId, JobSpec, Timestamp, child_outcome, released};

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
    mark(tx, whole)?;
    whole.archive(**tx)?;
    pass_key_on(tx, spec, tx.now)?;
    tx.hint(Hints {
        ended: true,
        ..Hints::default()
    });
    let outcome = child_outcome(spec, &whole.job.head, &whole.job.notes);
    if let Some(outcome) = outcome {
        for parent in told {
            report(tx, parent, spec.id, outcome.clone())?;
        }
    }
    Ok(())
}

/// Frees the key of a job that ends, unless it is kept beyond `kept`. A job that follows gets it,
/// and may run.
pub(super) fn pass_key_on(tx: &Tx<'_>, spec: &JobSpec, kept: Timestamp) -> Result<(), Fault> {
    let Some(next) = keys::release(**tx, spec, kept, tx.now)? else {
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
