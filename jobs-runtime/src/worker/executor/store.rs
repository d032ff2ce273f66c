//! Sending commits until they are answered or the lease ends.

use super::Executor;
use super::wait::Woken;
use crate::Error;
use crate::clock::Clock;
use crate::committer::Committer;
use crate::core::{Applied, Commit, CommitAnswer, Run, StepOutcome, Timestamp};
use crate::worker::RunEvent;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A commit that the store could not take is sent again after so long, doubling.
const FIRST_RETRY: Duration = Duration::from_millis(20);
/// The longest time between two tries of one commit.
const LAST_RETRY: Duration = Duration::from_secs(1);

type Reply = Result<CommitAnswer, Error>;

/// A commit on its way.
pub(super) struct Sending {
    reply: Pin<Box<dyn Future<Output = Reply> + Send>>,
    /// The steps that become durable with it.
    stored: Vec<StoredStep>,
    /// The run's time when it was sent.
    sent: Timestamp,
}

struct StoredStep {
    name: String,
    failed: bool,
    /// It is a wait whose deadline passed.
    timed_out: bool,
}

impl Executor<'_> {
    /// Sends what was delivered, unless the last commit is still on its way.
    pub(super) fn send_records(&mut self) {
        let now = self.cell.now();
        let next = |run: &mut Run| run.take_commit().or_else(|| run.take_notes(now));
        if let Some(commit) = self.cell.with(next) {
            self.send(commit);
        }
    }

    fn send(&mut self, commit: Commit) {
        let delivered = commit
            .records
            .iter()
            .filter(|record| record.position.is_some());
        let stored = delivered
            .map(|record| StoredStep {
                name: record.name.clone(),
                failed: record.is_failure(),
                timed_out: record.outcome == Some(StepOutcome::TimedOut),
            })
            .collect();
        let committer = self.shared.committer.clone();
        let clock = Arc::clone(&self.cell.env.clock);
        let reply = Box::pin(send_until_stored(committer, clock, commit));
        self.sending = Some(Sending {
            reply,
            stored,
            sent: self.cell.now(),
        });
    }

    /// The commit in flight was answered.
    pub(super) fn answered(&mut self, reply: Reply) -> Woken {
        match self.take_answer(reply) {
            Some(CommitAnswer::Applied(_)) => Woken::Again,
            _ => Woken::Lost,
        }
    }

    /// Sends the last commit of the lease and waits for its answer; `None` if there is none.
    pub(super) async fn store_last(&mut self, commit: Commit) -> Option<CommitAnswer> {
        self.send(commit);
        self.until_answered().await
    }

    /// Waits for the answer to the commit in flight; `None` if the lease ends first. A heartbeat
    /// that finds the lease gone does not end it: this very commit may have ended the lease, and
    /// if not, the answer says so.
    pub(super) async fn until_answered(&mut self) -> Option<CommitAnswer> {
        let clock = Arc::clone(&self.cell.env.clock);
        let mut kept = true;
        loop {
            let lease_end = self.lease.signal.borrow_and_update().lease_end;
            let pause = lease_end.saturating_sub(clock.monotonic());
            if pause.is_zero() {
                return None;
            }
            tokio::select! {
                biased;
                reply = reply_to(&mut self.sending) => return self.take_answer(reply),
                changed = self.lease.signal.changed(), if kept => kept = changed.is_ok(),
                () = clock.sleep(pause) => {}
            }
        }
    }

    /// Tells the run and the observer what an applied commit means.
    fn take_answer(&mut self, reply: Reply) -> Option<CommitAnswer> {
        let sending = self.sending.take()?;
        match reply {
            Ok(CommitAnswer::Applied(applied)) => {
                self.applied(applied.clone(), &sending);
                Some(CommitAnswer::Applied(applied))
            }
            Ok(answer) => Some(answer),
            Err(error) => {
                tracing::error!(job = %self.cell.info.id, %error, "the store refused a commit; the lease is given up");
                None
            }
        }
    }

    fn applied(&self, applied: Applied, sending: &Sending) {
        self.cell.with(|run| run.committed(applied, sending.sent));
        self.note_seen();
        for stored in &sending.stored {
            let StoredStep { name, failed, .. } = stored;
            if stored.timed_out {
                tracing::warn!(job = %self.cell.info.id, name = self.cell.info.name, step = name, "no event came before the deadline of the wait; the body goes on without one");
            }
            let event = RunEvent::StepStored {
                step: name,
                failed: *failed,
            };
            self.cell.observer.tell(&self.cell.info, event);
        }
    }
}

async fn send_until_stored(committer: Committer, clock: Arc<dyn Clock>, commit: Commit) -> Reply {
    let mut pause = FIRST_RETRY;
    loop {
        match committer.commit(commit.clone()).await {
            Err(error) if error.is_transient() => {
                tracing::warn!(job = %commit.job, %error, "a commit could not be stored; trying again until the lease ends");
                clock.sleep(pause).await;
                pause = (pause * 2).min(LAST_RETRY);
            }
            answer => return answer,
        }
    }
}

/// The answer to what is being sent; never, if nothing is.
pub(super) async fn reply_to(sending: &mut Option<Sending>) -> Reply {
    match sending {
        Some(sending) => sending.reply.as_mut().await,
        None => std::future::pending().await,
    }
}
