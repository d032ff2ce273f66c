//! Orders on their way into the store, and what an earlier start left of them there. Running them
//! is the worker's.

use crate::order::{Outcome, sell};
use crate::orders::Listed;
use crate::show::Show;
use jobs_runtime::contract::{JobFilter, JobView};
use jobs_runtime::prelude::*;
use jobs_runtime::{Handle, Job};

/// An order whose job is in the store.
pub(crate) struct Placed {
    pub(crate) id: String,
    pub(crate) handle: Handle<sell>,
    /// Its job has ended before this start.
    pub(crate) ended: bool,
    /// It needs a payment, and the provider is going to confirm one.
    pub(crate) will_be_paid: bool,
}

/// Enqueues each order that has no job yet.
///
/// An idempotency key belongs to the *live* job: enqueued again, a live order gives the job that
/// is there. The key of an ended job is free, and the order would be sold, and charged, a second
/// time. So this program, which is given the same file at every start, looks before it enqueues.
/// A service that enqueues an order once, when it comes in, need not.
pub(crate) async fn place(jobs: &Jobs, orders: Vec<Listed>, show: &Show) -> Result<Vec<Placed>> {
    let mut placed = Vec::with_capacity(orders.len());
    for listed in orders {
        let order = &listed.order;
        let found = find(jobs, &listed).await?;
        let ended = found.as_ref().filter(|view| !view.job.head.state.is_live());
        let handle = match ended {
            Some(view) => Handle::of(view.job.spec.id, view.job.spec.run_id),
            None => sell(order.clone()).enqueue(jobs).await?,
        };
        match &found {
            Some(view) => show.found(&order.id, view, &handle),
            None => show.enqueued(order),
        }
        let mut records = found.iter().flat_map(|view| &view.journal);
        let paid = records.any(|record| record.name == "payment" && record.position.is_some());
        placed.push(Placed {
            id: order.id.clone(),
            handle,
            ended: ended.is_some(),
            will_be_paid: listed.pays && !paid && ended.is_none(),
        });
    }
    Ok(placed)
}

/// The newest job of an order, in whatever state, with its journal.
async fn find(jobs: &Jobs, listed: &Listed) -> Result<Option<JobView>> {
    let filter = JobFilter {
        name: Some(sell::def().name.into()),
        key: sell::key(&listed.order),
        ..JobFilter::default()
    };
    let page = jobs.admin().list(&filter, None, 1).await?;
    let Some(job) = page.jobs.first() else {
        return Ok(None);
    };
    Ok(jobs.admin().show(job.spec.id).await?)
}

/// How all orders ended.
pub(crate) async fn outcomes(jobs: &Jobs, placed: &[Placed]) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::with_capacity(placed.len());
    for order in placed {
        outcomes.push(jobs.wait(&order.handle).await?);
    }
    Ok(outcomes)
}
