//! The end of a lease: parked, settled or lost.

use super::store::Answered;
use super::{BodyFuture, Executor};
use crate::core::{Commit, CommitAnswer, Ended, Run, Settle, State, StoredError, Timestamp};
use crate::steps::JobInfo;
use crate::torture::crash_point;
use crate::worker::RunEvent;
use crate::{Error, Failure};

impl Executor<'_> {
    pub(super) fn ended(&self, result: Result<Vec<u8>, Failure>) -> Ended {
        let failure = match result.and_then(|json| Ok(self.cell.seal(json)?)) {
            Ok(payload) => {
                let (size, limit) = (payload.bytes.len(), self.cell.info.payload_limit);
                if size <= limit {
                    return Ended::Done(payload);
                }
                let what = format!("the output of job \"{}\"", self.cell.info.name);
                Failure::from(Error::payload_too_large(what, size, limit))
            }
            Err(failure) => failure,
        };
        let culprit = failure.step_error().map(|step| step.step().to_owned());
        self.failed(failure.stored(), culprit)
    }

    pub(super) fn failed(&self, error: StoredError, culprit: Option<String>) -> Ended {
        let random = self.cell.env.entropy.bits() as u64;
        let delay = self
            .def
            .options
            .backoff
            .delay(self.cell.info.attempt, random);
        Ended::Failed {
            error,
            culprit,
            delay,
        }
    }

    pub(super) fn timed_out(&self) -> Ended {
        let limit = self.def.options.timeout.unwrap_or_default();
        let what = format!("job \"{}\"", self.cell.info.name);
        self.failed(Failure::from(Error::timeout(what, limit.0)).stored(), None)
    }

    /// Parks the run; false if there is news, and it goes on at once.
    pub(super) async fn park(&mut self, wake_at: Option<Timestamp>) -> bool {
        let now = self.cell.now();
        let commit = self
            .cell
            .with(|run| run.settle(Settle::Suspend { wake_at }));
        let replayed = commit.trace.clone().unwrap_or_default().replayed;
        crash_point!("executor.park.before");
        let answer = self.store_last(commit.clone()).await;
        crash_point!("executor.park.after");
        match answer {
            Some(CommitAnswer::Nudged(nudge)) => {
                self.cell.with(|run| run.refused(commit, nudge, now));
                self.note_seen();
                return false;
            }
            Some(CommitAnswer::Applied(_)) => {
                self.shared.leaked.leak();
                let event = RunEvent::Suspended {
                    wake_at,
                    replayed: &replayed,
                };
                self.cell.observer.tell(&self.cell.info, event);
            }
            _ => self
                .cell
                .observer
                .tell(&self.cell.info, RunEvent::LeaseLost),
        }
        true
    }

    pub(super) async fn end(self, body: &mut Option<BodyFuture<'_>>, ended: Ended) {
        self.finish(body, |run| run.settle_ended(ended)).await;
    }

    /// Drops the body, waits for the commit in flight, and stores the end of the lease.
    pub(super) async fn finish(
        mut self,
        body: &mut Option<BodyFuture<'_>>,
        settle: impl FnOnce(&mut Run) -> Commit,
    ) {
        // Futures that are dropped from here on say nothing about the run.
        self.cell.with(Run::close);
        self.cell.end();
        drop(body.take());
        crash_point!("executor.body_dropped");
        if self.sending.is_some() && !self.last_one_applied().await {
            return self.lost();
        }
        let commit = self.cell.with(settle);
        let state = settled_state(&commit, &self.cell.info);
        let error = settled_error(&commit).cloned();
        let replayed = commit.trace.clone().unwrap_or_default().replayed;
        crash_point!("executor.settle.before");
        let answer = self.store_last(commit).await;
        crash_point!("executor.settle.after");
        match answer {
            Some(CommitAnswer::Applied(_)) => {
                let event = RunEvent::Ended {
                    state,
                    error: error.as_ref(),
                    replayed: &replayed,
                };
                self.cell.observer.tell(&self.cell.info, event);
            }
            _ => self.lost(),
        }
    }

    async fn last_one_applied(&mut self) -> bool {
        // A transaction that was rolled back is no loss: its step is not stored, and that is all.
        matches!(
            self.until_answered().await,
            Answered::Answer(CommitAnswer::Applied(_)) | Answered::Undone
        )
    }

    pub(super) fn lost(&self) {
        self.shared.leaked.leak();
        tracing::warn!(job = %self.cell.info.id, name = self.cell.info.name, "the lease is lost; whoever holds it now goes on from the last stored step");
        self.cell
            .observer
            .tell(&self.cell.info, RunEvent::LeaseLost);
    }
}

fn settled_state(commit: &Commit, info: &JobInfo) -> State {
    match &commit.settle {
        Some(Settle::Ack { .. } | Settle::Continue { .. }) => State::Done,
        Some(Settle::Cancel) => State::Cancelled,
        Some(Settle::Fail { .. }) => State::Failed,
        Some(Settle::Hold { .. } | Settle::Suspend { .. }) => State::Suspended,
        Some(Settle::Retry { .. }) if info.attempt >= info.attempts_max => State::Dead,
        Some(Settle::Defer { .. } | Settle::HandBack | Settle::Requeue | Settle::Retry { .. }) => {
            State::Pending
        }
        None => State::Running,
    }
}

fn settled_error(commit: &Commit) -> Option<&StoredError> {
    match &commit.settle {
        Some(Settle::Fail { error } | Settle::Hold { error } | Settle::Retry { error, .. }) => {
            Some(error)
        }
        _ => None,
    }
}
