//! The store as it stands when everything is over.

use super::told::{key, tick};
use crate::Error;
use crate::contract::{Driver, JobFilter, JobView};
use crate::torture::history::{Dumped, Recorded, What};
use crate::torture::log::{Log, clip, hash};

/// Jobs of one page.
const PAGE_JOBS: usize = 100;

/// Pages of one dump: a listing that never ends is a defect of the store.
const PAGE_LIMIT: usize = 100_000;

/// Writes down that the run is quiet, and each job as it stands. Rows come in the order in which
/// the store lists them, so that one listed twice stands there twice.
///
/// # Errors
/// If the store cannot be read, or its list has no end.
pub async fn dump(log: &Log, driver: &dyn Driver) -> Result<u64, Error> {
    log.write(What::Quiet);
    let mut written = 0;
    let mut after = None;
    for _ in 0..PAGE_LIMIT {
        let filter = JobFilter::default();
        let page = driver.inspect().list(&filter, after, PAGE_JOBS).await?;
        for job in &page.jobs {
            let view = driver.inspect().view(job.spec.id).await?;
            let Some(view) = view else { continue };
            log.write(What::Job(Box::new(dumped(&view))));
            written += 1;
        }
        after = page.next;
        if after.is_none() {
            return Ok(written);
        }
    }
    Err(Error::store_corrupt(
        "the list of jobs has no end: its pages repeat",
    ))
}

fn dumped(view: &JobView) -> Dumped {
    let (spec, head, notes) = (&view.job.spec, &view.job.head, &view.job.notes);
    Dumped {
        job: spec.id,
        run: spec.run_id,
        name: clip(&spec.name),
        key: key(&spec.scope, spec.key.as_deref()),
        tenant: spec.tenant.as_deref().map(clip),
        input: hash(&spec.input.bytes),
        state: head.state,
        attempt: head.attempt,
        attempts_max: head.attempts_max,
        lease_losses: head.lease_losses,
        epoch: head.token.epoch,
        visible_at: head.visible_at,
        ended_at: head.ended_at,
        has_error: notes.error.is_some(),
        cleans_up: spec.labels.contains_key("cancelled"),
        tick: spec.tick.as_ref().map(tick),
        journal: view.journal.iter().map(Recorded::of).collect(),
    }
}
