//! Hands the events of a run over to the one that goes on from it. What goes along is decided in
//! `core`.

use super::fault::Fault;
use super::group::Tx;
use super::whole::Whole;
use super::{inbox, sql};
use crate::core::{self, Chain, JobId};
use rusqlite::params;

/// Gives the run that goes on its place in the chain, and what `whole` has not consumed.
pub(super) fn carry(tx: &Tx<'_>, whole: &mut Whole, to: JobId) -> Result<(), Fault> {
    let spec = &mut whole.job.spec;
    let next = inbox::tenant(tx, to)?;
    if next.is_none_or(|next| !core::goes_along(spec.tenant.as_deref(), next.as_deref())) {
        return Ok(());
    }
    let chain = Chain::of(spec, &whole.job.head);
    spec.chain = Some(chain);
    let run = chain.run.as_bytes();
    tx.run(sql::CHAIN_JOIN, params![to.as_bytes(), run, chain.since.0])?;
    for item in core::unconsumed(whole.journal.iter(), &mut whole.inbox) {
        inbox::pin(tx, to, item.seq, &item.content)?;
    }
    Ok(())
}

/// Notes how far the chain of a run that ends has come. Its journal will not be there for ever.
pub(super) fn mark(tx: &Tx<'_>, whole: &Whole) -> Result<(), Fault> {
    let Some(chain) = whole.job.spec.chain else {
        return Ok(());
    };
    for ((event, key), seq) in core::marks(whole.journal.iter(), &whole.inbox) {
        let (run, key) = (chain.run.as_bytes(), key.unwrap_or_default());
        tx.run(sql::MARK_MOVE, params![run, event, key, seq.cast_signed()])?;
    }
    Ok(())
}
