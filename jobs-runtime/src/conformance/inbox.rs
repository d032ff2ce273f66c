//! The inbox: bounded, and never in the way of an event that a wait needs.

use super::holder::payloads;
use super::shapes::{EventShape, wait};
use super::{Result, Subject};
use crate::core::{EventId, InboxContent, InboxItem, JobId};

case!(r5_an_inbox_full_of_what_nobody_waits_for_keeps_no_event_from_a_wait);
async fn r5_an_inbox_full_of_what_nobody_waits_for_keeps_no_event_from_a_wait(
    s: Subject,
) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let ticks = wait("ticks", "tick", None, s.now());
    s.apply(&holder.steps(vec![ticks])).await?;
    for _ in 0..1_010 {
        s.publish(&s.event("tick")).await?;
    }
    // The wait lost against something else, and another follows: its event comes second, ...
    let stop = wait("stop", "stop", None, s.now());
    let lost = holder.steps(vec![stop]).removing(vec!["ticks".into()]);
    s.apply(&lost).await?;
    let stopped = s.event("stop");
    s.publish(&stopped).await?;
    check!(has_pinned(&s, holder.id(), stopped.id).await?);
    // ... or first.
    let early = s.event("early");
    s.publish(&early).await?;
    let late = wait("late", "early", None, s.now());
    s.apply(&holder.steps(vec![late])).await?;
    check!(has_pinned(&s, holder.id(), early.id).await?);
    Ok(())
}

async fn has_pinned(s: &Subject, job: JobId, event: EventId) -> Result<bool> {
    let inbox = s.view(job).await?.inbox;
    let is_it =
        |item: &InboxItem| matches!(item.content, InboxContent::Event { id, .. } if id == event);
    Ok(inbox.iter().any(is_it))
}

case!(r5_no_event_goes_before_one_that_was_stored_earlier);
async fn r5_no_event_goes_before_one_that_was_stored_earlier(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let named = |step: usize| wait(&format!("tick {step}"), "tick", None, s.now());
    let tick = |event: usize| s.event("tick").payload(event.to_string());
    for event in 0..3 {
        s.publish(&tick(event)).await?;
    }
    s.apply(&holder.steps(vec![named(0)])).await?;
    // The wait is served, and others were stored before this one.
    s.publish(&tick(3)).await?;
    for step in 0..4 {
        let last = s.view(holder.id()).await?.inbox.pop();
        let last = last.as_slice();
        check_eq!(payloads(last), [step.to_string().into_bytes()]);
        let record = holder.deliver_event(named(step), last)?;
        s.apply(&holder.steps(vec![record, named(step + 1)]))
            .await?;
    }
    Ok(())
}
