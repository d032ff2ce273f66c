//! Finds the run that a job has gone on as, also when retention has removed those between.

use crate::Error;
use crate::contract::JobFilter;
use crate::core::{Chain, Job as Row};
use crate::store::Store;

/// Rows of one key that are looked through, newest first. A chain has one live run, and it is
/// among the newest.
const LOOK_LIMIT_ROWS: usize = 20;

/// The run that an ended one went on as: the live one if there is one, else the next that is still
/// stored. `None` if it did not go on, or nothing is left of what it went on as.
pub(crate) async fn following(store: &Store, row: &Row) -> Result<Option<Row>, Error> {
    let Some(next) = row.notes.continued_to else {
        return Ok(None);
    };
    let latest = latest(store, row).await?;
    if latest.as_ref().is_some_and(|job| job.head.state.is_live()) {
        return Ok(latest);
    }
    // A chain without a key has only its links.
    let next = store.inspect().job(next).await?;
    Ok(next.or(latest))
}

/// The live run of the chain that began with or holds `row`, or the last one. `None` if there is no
/// other, or none that its key leads to.
pub(crate) async fn latest(store: &Store, row: &Row) -> Result<Option<Row>, Error> {
    let spec = &row.spec;
    if spec.key.is_none() {
        return Ok(None);
    }
    let filter = JobFilter {
        key: spec.key.clone(),
        ..JobFilter::default()
    };
    let page = store.inspect().list(&filter, None, LOOK_LIMIT_ROWS).await?;
    let first = Chain::of(spec, &row.head).run;
    let mut kin = page.jobs;
    kin.retain(|job| {
        let chain = job.spec.chain.map(|chain| chain.run);
        job.spec.scope == spec.scope && chain == Some(first) && job.spec.id != spec.id
    });
    let live = kin.iter().position(|job| job.head.state.is_live());
    let last = || kin.iter().position(|job| job.notes.continued_to.is_none());
    Ok(live.or_else(last).map(|place| kin.swap_remove(place)))
}
