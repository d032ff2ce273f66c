//! The life cycle, played: every change in every state does what the core's table says.

use super::holder::Holder;
use super::shapes::{DAY, JobShape, boom};
use super::subject::LEASE;
use super::{Failure, Result, Subject};
use crate::core::{Change, CommitAnswer, JobId, Millis, Payload, Settle, State, next};

case!(every_change_in_every_state_is_applied_or_refused_by_the_table);
async fn every_change_in_every_state_is_applied_or_refused_by_the_table(s: Subject) -> Result {
    for from in State::ALL {
        for change in Change::ALL {
            let (id, holder) = bring_to(&s, from, change).await?;
            s.expect_state(id, from).await?;
            let before = s.row(id).await?;
            play(&s, change, id, holder).await?;
            let after = s.row(id).await?;
            match next(from, change) {
                Ok(to) => check_eq!(after.head.state, to, "{from} {change:?}"),
                Err(_) => check_eq!(after, before, "{from} {change:?}"),
            }
            clear(&s, id).await?;
        }
    }
    Ok(())
}

/// A job in this state, and its last holder if it had one.
async fn bring_to(s: &Subject, state: State, change: Change) -> Result<(JobId, Option<Holder>)> {
    let attempts = if change == Change::Bury { 1 } else { 3 };
    let job = s.job("mail").attempts(attempts);
    let job = match change {
        Change::Expire => {
            let at = s.now().after(Millis(1));
            job.shape(|job| job.spec.expires_at = Some(at))
        }
        _ => job,
    };
    // Nobody is to take it for another reason than the change.
    let rests = matches!(change, Change::Expire | Change::Reclaim);
    let id = job.spec.id;
    if (state, change) == (State::Pending, Change::Expire) {
        // Only what was never started can expire.
        s.enqueue(&job).await?;
        return Ok((id, None));
    }
    let mut holder = s.start(&job).await?;
    let settle = match state {
        State::Running => return Ok((id, Some(holder))),
        // It was held before, so that there is somebody who can try to write.
        State::Pending if rests => Settle::Defer { delay: DAY },
        State::Pending => Settle::HandBack,
        State::Suspended => {
            // Visible at once, so that a claim of it is possible.
            let park = holder.park(Vec::new(), (!rests).then(|| s.now()));
            s.apply(&park).await?;
            return Ok((id, Some(holder)));
        }
        State::Done => ack(),
        State::Failed | State::Dead => Settle::Fail { error: boom() },
        State::Cancelled => Settle::Cancel,
    };
    if state == State::Dead {
        s.advance_to(holder.until());
        for _ in 1..attempts {
            holder = s.claim_one().await?;
            s.advance_to(holder.until());
        }
        s.claim_nothing().await?;
    } else {
        s.apply(&holder.settle(settle)).await?;
    }
    Ok((id, Some(holder)))
}

/// Tries the change in the one way there is to ask for it.
async fn play(s: &Subject, change: Change, id: JobId, holder: Option<Holder>) -> Result {
    let delay = Millis(1);
    let error = boom();
    let settle = match change {
        Change::Ack => ack(),
        Change::Bury | Change::Retry => Settle::Retry { delay, error },
        Change::Defer => Settle::Defer { delay },
        Change::Fail => Settle::Fail { error },
        Change::HandBack => Settle::HandBack,
        Change::Hold => Settle::Hold { error },
        Change::Suspend => Settle::Suspend { wake_at: None },
        Change::Cancel => return expect_any(s.cancel(id).await?),
        Change::Requeue => return expect_any(s.requeue(id, &[]).await?),
        Change::Claim => return s.claim(10).await.map(drop),
        Change::Expire => {
            s.advance(Millis(1));
            return s.claim(10).await.map(drop);
        }
        Change::Reclaim => {
            s.advance(LEASE);
            return s.claim(10).await.map(drop);
        }
    };
    match holder {
        Some(mut holder) => expect_any(s.commit(&holder.settle(settle)).await?),
        None => Ok(()),
    }
}

/// A refusal must be one of those that say "not now"; `Nudged` or `Duplicate` would be a lie here.
fn expect_any(answer: CommitAnswer) -> Result {
    match answer {
        CommitAnswer::Duplicate(_) | CommitAnswer::Nudged(_) => {
            Err(Failure::here(format!("{answer:?}")))
        }
        _ => Ok(()),
    }
}

/// Ends the job, so that the next pair meets an empty store.
async fn clear(s: &Subject, id: JobId) -> Result {
    if s.row(id).await?.head.state.is_live() {
        s.cancel(id).await?;
        s.expect_state(id, State::Cancelled).await?;
    }
    Ok(())
}

fn ack() -> Settle {
    Settle::Ack {
        output: Payload::json(*b"1"),
    }
}
