//! Tenants: an event of one never reaches the runs of another.

use super::shapes::{EventShape, JobShape, wait};
use super::{Result, Subject};
use crate::core::NewJob;

case!(b33_an_event_of_a_tenant_reaches_only_its_runs);
async fn b33_an_event_of_a_tenant_reaches_only_its_runs(s: Subject) -> Result {
    for job in everyone(&s) {
        park_for_paid(&s, &job).await?;
    }
    let event = s.event("paid").tenant("b").key("k");
    check_eq!(s.publish(&event).await?.woken, 1);
    let next = s.claim_one().await?;
    check_eq!(next.claimed.job.spec.tenant.as_deref(), Some("b"));
    Ok(())
}

case!(a_stored_event_of_a_tenant_is_found_only_by_its_runs);
async fn a_stored_event_of_a_tenant_is_found_only_by_its_runs(s: Subject) -> Result {
    s.publish(&s.event("paid").tenant("b").key("k")).await?;
    for job in everyone(&s) {
        s.enqueue(&job).await?;
    }
    for mut holder in s.claim(10).await? {
        let paid = wait("paid", "paid", Some("k"), s.now());
        s.apply(&holder.park(vec![paid], None)).await?;
    }
    let next = s.claim_one().await?;
    check_eq!(next.claimed.job.spec.tenant.as_deref(), Some("b"));
    Ok(())
}

case!(an_event_without_a_tenant_reaches_every_run);
async fn an_event_without_a_tenant_reaches_every_run(s: Subject) -> Result {
    for job in everyone(&s) {
        park_for_paid(&s, &job).await?;
    }
    check_eq!(s.publish(&s.event("paid").key("k")).await?.woken, 4);
    check_eq!(s.claim(10).await?.len(), 4);
    Ok(())
}

/// A job without a tenant, and three of tenants whose names begin alike.
fn everyone(s: &Subject) -> Vec<NewJob> {
    let tenants = ["a", "b", "bb"].map(|tenant| s.job("mail").tenant(tenant));
    tenants.into_iter().chain([s.job("mail")]).collect()
}

async fn park_for_paid(s: &Subject, job: &NewJob) -> Result {
    let mut holder = s.start(job).await?;
    let paid = wait("paid", "paid", Some("k"), s.now());
    s.apply(&holder.park(vec![paid], None)).await?;
    Ok(())
}
