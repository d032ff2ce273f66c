//! The end of a job: out of live storage, its key free, and whoever asked told of it.

use super::children::report;
use super::fault::Fault;
use super::group::{Hints, Tx};
use super::whole::Whole;
use super::{keys, sql};
use crate::core::{JobId, child_outcome};

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
    let outcome = child_outcome(spec, &whole.job.head, &whole.job.notes);
    if let Some(outcome) = outcome {
        for parent in told {
            report(tx, parent, spec.id, outcome.clone())?;
        }
    }
    Ok(())
}
