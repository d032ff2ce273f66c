//! Waiting for whatever lets a run go on.

use super::Executor;
use super::store::reply_to;
use crate::contract::{Beat, BeatAnswer};
use crate::core::{Next, Timestamp};
use crate::store::Counted;
use crate::torture::crash_point;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The pause after the inbox could not be read, or was read too early.
const REFRESH_PAUSE: Duration = Duration::from_millis(20);

/// What waiting came to.
pub(super) enum Woken {
    /// Poll again.
    Again,
    /// The lease is gone.
    Lost,
    /// The worker shuts down.
    Stop,
    /// The job took too long.
    TimedOut,
}

impl Executor<'_> {
    /// Waits for whatever lets the run go on.
    pub(super) async fn wait(&mut self, next: Next) -> Woken {
        if next == Next::Foreign && !self.warned {
            self.warned = true;
            tracing::warn!(job = %self.cell.info.id, name = self.cell.info.name, "the body waits for something outside its steps; a restart would repeat what came before it");
        }
        let wake_at = match next {
            Next::Wait { wake_at } | Next::Park { wake_at } => wake_at,
            _ => None,
        };
        let seen = self.beats;
        match self.take_news() {
            // News that came since the last look may let the run go on.
            Woken::Again if self.beats > seen => return Woken::Again,
            Woken::Again => {}
            other => return other,
        }
        let clock = Arc::clone(&self.cell.env.clock);
        let mono = clock.monotonic();
        if self.deadline.is_some_and(|at| mono >= at) {
            return Woken::TimedOut;
        }
        let lease_end = self.lease.signal.borrow().lease_end;
        // A commit in flight carries them, or the one after it does.
        let notes_due_at = match self.sending {
            None => self.cell.with(|run| run.notes_due_at()),
            Some(_) => None,
        };
        let now = self.cell.now();
        let after = |at: Timestamp| mono + Duration::from(at.since(now));
        let due = [
            Some(lease_end),
            self.deadline,
            wake_at.map(after),
            notes_due_at.map(after),
        ];
        let due = due.into_iter().flatten().min().unwrap_or(lease_end);
        let pause = due.saturating_sub(mono);
        let busy = self.cell.with(|run| run.is_busy());
        let _busy = busy.then(|| Counted::begin(&self.shared.busy));
        tokio::select! {
            biased;
            reply = reply_to(&mut self.sending) => return self.answered(reply),
            changed = self.lease.signal.changed() => {
                if changed.is_err() {
                    return Woken::Lost;
                }
            }
            () = self.waker.woken.notified() => {}
            () = clock.sleep(pause) => {}
        }
        Woken::Again
    }

    /// Takes in what the heartbeat brought.
    pub(super) fn take_news(&mut self) -> Woken {
        let signal = self.lease.signal.borrow_and_update();
        if signal.lost || self.cell.env.clock.monotonic() >= signal.lease_end {
            return Woken::Lost;
        }
        if signal.hand_back {
            return Woken::Stop;
        }
        let news = (signal.beats > self.beats)
            .then(|| signal.news.clone())
            .flatten();
        self.beats = signal.beats;
        drop(signal);
        if let Some((nudge, at)) = news {
            self.cell.with(|run| run.news(nudge, at));
            self.note_seen();
        }
        Woken::Again
    }

    pub(super) fn note_seen(&self) {
        let seen = self.cell.with(|run| run.seen_nudge());
        self.lease.seen_nudge.store(seen, Ordering::Release);
    }

    /// Asks for the inbox as it is now; false if the lease is gone.
    pub(super) async fn refresh(&mut self) -> bool {
        // By the store's clock the deadline has not passed: it goes slower than ours, or was set
        // back.
        if self.refreshes > 1 {
            self.cell.env.clock.sleep(REFRESH_PAUSE).await;
        }
        let token = self.cell.with(|run| run.token());
        let seen_nudge = self.cell.with(|run| run.seen_nudge());
        let beat = Beat {
            job: self.cell.info.id,
            token,
            visibility_timeout: self.timeout,
            seen_nudge,
        };
        match self
            .shared
            .store
            .heartbeat(&[beat])
            .await
            .map(|answers| answers.into_iter().next())
        {
            Ok(Some(BeatAnswer::Held { until, nudge, .. })) => {
                crash_point!("executor.refreshed");
                self.cell
                    .with(|run| run.news(nudge, until.before(self.timeout)));
                self.note_seen();
                self.waker.woken.notify_one();
                true
            }
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(%error, "the inbox could not be read; trying again");
                self.cell.env.clock.sleep(REFRESH_PAUSE).await;
                self.waker.woken.notify_one();
                true
            }
        }
    }
}
