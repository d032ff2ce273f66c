//! Sending commits until they are answered or the lease ends.

use super::Executor;
use super::wait::Woken;
use crate::clock::Clock;
use crate::committer::Committer;
use crate::core::{Applied, Commit, CommitAnswer, Run, StepOutcome, Timestamp, Undone};
use crate::steps::OpenTx;
use crate::torture::seeded::{nak, seeded};
use crate::torture::{Bug, crash_point};
use crate::worker::RunEvent;
use crate::{Error, Failure};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A commit that the store could not take is sent again after so long, doubling.
const FIRST_RETRY: Duration = Duration::from_millis(20);
/// The longest time between two tries of one commit.
const LAST_RETRY: Duration = Duration::from_secs(1);

type Reply = Result<CommitAnswer, Error>;

/// What came of a commit.
pub(super) enum Answered {
    /// The store has answered.
    Answer(CommitAnswer),
    /// Nobody knows, or nobody will: the lease is given up.
    Nothing,
    /// It was to end a transaction, which was rolled back: the run goes on without it.
    Undone,
}

/// A commit on its way.
pub(super) struct Sending {
    reply: Pin<Box<dyn Future<Output = Reply> + Send>>,
    /// The steps that become durable with it.
    stored: Vec<StoredStep>,
    /// The run's time when it was sent.
    sent: Timestamp,
    /// The commit itself, if it ends the transaction of a step: that can be rolled back.
    ends_tx: Option<Commit>,
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
            let tx = self.cell.tx.take();
            self.send(commit, tx);
        }
    }

    fn send(&mut self, commit: Commit, tx: Option<OpenTx>) {
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
        crash_point!("executor.send");
        let ends_tx = tx.is_some().then(|| commit.clone());
        let reply = match tx {
            Some(end) => end(commit),
            None => {
                let committer = self.shared.committer.clone();
                let clock = Arc::clone(&self.cell.env.clock);
                Box::pin(send_until_stored(committer, clock, commit))
            }
        };
        self.sending = Some(Sending {
            reply,
            stored,
            sent: self.cell.now(),
            ends_tx,
        });
    }

    /// The commit in flight was answered.
    pub(super) fn answered(&mut self, reply: Reply) -> Woken {
        match self.take_answer(reply) {
            Answered::Answer(CommitAnswer::Applied(_)) | Answered::Undone => Woken::Again,
            Answered::Answer(_) | Answered::Nothing => Woken::Lost,
        }
    }

    /// Sends the last commit of the lease and waits for its answer; `None` if there is none.
    pub(super) async fn store_last(&mut self, commit: Commit) -> Option<CommitAnswer> {
        self.send(commit, None);
        match self.until_answered().await {
            Answered::Answer(answer) => Some(answer),
            Answered::Nothing | Answered::Undone => None,
        }
    }

    /// Waits for the answer to the commit in flight; there is none if the lease ends first. A heartbeat
    /// that finds the lease gone does not end it: this very commit may have ended the lease, and
    /// if not, the answer says so.
    pub(super) async fn until_answered(&mut self) -> Answered {
        let clock = Arc::clone(&self.cell.env.clock);
        let mut kept = true;
        loop {
            let lease_end = self.lease.signal.borrow_and_update().lease_end;
            let pause = lease_end.saturating_sub(clock.monotonic());
            if pause.is_zero() {
                return Answered::Nothing;
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
    fn take_answer(&mut self, reply: Reply) -> Answered {
        let Some(sending) = self.sending.take() else {
            return Answered::Nothing;
        };
        crash_point!("executor.answered");
        match (reply, &sending.ends_tx) {
            (Ok(CommitAnswer::Applied(applied)), _) => {
                self.applied(applied.clone(), &sending);
                Answered::Answer(CommitAnswer::Applied(applied))
            }
            (Ok(answer), _) => Answered::Answer(answer),
            (Err(error), Some(commit)) if !error.is_outcome_unknown() => {
                self.undone(commit.clone(), error);
                Answered::Undone
            }
            (Err(error), _) => {
                tracing::error!(job = %self.cell.info.id, %error, "the store refused a commit; the lease is given up");
                Answered::Nothing
            }
        }
    }

    /// A transaction was rolled back at its end: by what its body wrote, or because the store was
    /// not able to end it, which is no failure of the body.
    fn undone(&self, commit: Commit, error: Error) {
        let why = if error.is_transient() {
            tracing::warn!(job = %commit.job, %error, "the transaction of a step could not be ended; its body runs again");
            Undone::Again(self.cell.now().after(FIRST_RETRY.into()))
        } else {
            Undone::Failed(Failure::from(error).stored())
        };
        self.cell.with(|run| run.undone(commit, why));
        // The step's own waker, not only the job's: a combinator polls nobody else.
        self.cell.fire();
        self.waker.woken.notify_one();
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
            Err(error) if error.is_outcome_unknown() && seeded(Bug::NakUnknown) => {
                drop(committer.commit(nak(&commit)).await);
                return Err(error);
            }
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
