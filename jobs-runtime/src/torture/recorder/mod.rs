//! A driver around a driver, which writes down every call and every answer, and helps bodies to
//! write down what they do to the world. It changes nothing: not an answer, not an error.
//!
//! Reads are not written down. Nor is what goes through a transaction of the caller's own, past
//! the driver: whoever enqueues in one writes it down by [`Log`], with [`EnqueueCall::of`]; a commit
//! in one is written down with [`Recorder::committing`] and what follows it.

mod dump;
mod effect;
mod told;

pub use dump::dump;
pub use effect::{effect, effect_of};

use super::history::{Answer, Call, CommitCall, EnqueueCall, Op, PublishCall, What};
use super::log::{Log, clip, hash};
use crate::Error;
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, EnqueueAnswer, Inspect, PruneBounds,
    Pruned, Published, QueueStats, Setting, SettingWrite, WakeUps,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;
use std::any::Any;
use std::sync::Arc;

/// Writes down what goes through it. One for each life of a process; many may share a driver.
pub struct Recorder {
    inner: Arc<dyn Driver>,
    log: Log,
}

impl Recorder {
    /// Stands before `inner`: a driver that makes mistakes belongs behind it, so that the history
    /// tells what the callers saw.
    #[must_use]
    pub fn new(inner: Arc<dyn Driver>, log: Log) -> Self {
        Recorder { inner, log }
    }

    /// The pen it writes with.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Calls that share one answer, which was an error.
    pub fn failed(&self, ops: impl IntoIterator<Item = Op>, error: &Error) {
        for op in ops {
            self.log.write(told::failure(op, error));
        }
    }

    /// Calls and their answers; a call beyond the answers was never answered.
    fn answered(&self, answers: impl IntoIterator<Item = (Op, Answer)>) {
        for (op, answer) in answers {
            self.log.write(What::Ok { op, answer });
        }
    }

    fn enqueuing(&self, jobs: &[NewJob], within: Option<Op>) -> Vec<Op> {
        jobs.iter()
            .map(|job| {
                let call = EnqueueCall::of(job, within);
                self.log.invoke(Call::Enqueue(Box::new(call)))
            })
            .collect()
    }

    fn publishing(&self, events: &[NewEvent], within: Option<Op>) -> Vec<Op> {
        events
            .iter()
            .map(|event| {
                let call = PublishCall::of(event, within);
                self.log.invoke(Call::Publish(Box::new(call)))
            })
            .collect()
    }

    /// A commit is about to be made.
    pub fn committing(&self, commit: &Commit) -> Committing {
        let call = CommitCall::of(commit);
        let op = self.log.invoke(Call::Commit(Box::new(call)));
        Committing {
            op,
            children: self.enqueuing(&told::jobs_of(commit), Some(op)),
            events: self.publishing(&commit.events, Some(op)),
        }
    }

    /// It was answered.
    pub fn committed(&self, ops: &Committing, answer: &CommitAnswer) {
        let answer = told::commit_answer(answer);
        let is_stored = answer == Answer::Applied;
        self.log.write(What::Ok { op: ops.op, answer });
        for op in ops.carried() {
            self.log.write(match is_stored {
                true => told::carried(op),
                false => told::not_carried(op),
            });
        }
    }

    /// It was answered, and then undone with its transaction.
    pub fn undone(&self, ops: &Committing) {
        for op in ops.all() {
            self.log.write(told::not_carried(op));
        }
    }
}

/// The ops of one commit.
pub struct Committing {
    op: Op,
    children: Vec<Op>,
    events: Vec<Op>,
}

impl Committing {
    fn carried(&self) -> impl Iterator<Item = Op> {
        self.children.iter().chain(&self.events).copied()
    }

    /// Every call that the commit carries, itself the first.
    pub fn all(&self) -> impl Iterator<Item = Op> {
        [self.op].into_iter().chain(self.carried())
    }
}

#[async_trait]
impl Driver for Recorder {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn migrate(&self) -> Result<(), Error> {
        self.inner.migrate().await
    }

    async fn enqueue(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        let ops = self.enqueuing(jobs, None);
        let answers = self.inner.enqueue(jobs, now).await;
        match &answers {
            Ok(answers) => {
                for (op, answer) in ops.into_iter().zip(answers) {
                    self.log.write(told::enqueue_answer(op, answer));
                }
            }
            Err(error) => self.failed(ops, error),
        }
        answers
    }

    async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        let op = self.log.invoke(Call::Claim {
            limit: claim.limit as u64,
            queues: claim.queues.iter().map(|queue| clip(queue)).collect(),
            nonce: claim.nonce,
        });
        let claims = self.inner.claim(claim).await;
        match &claims {
            Ok(claims) => {
                for claimed in &claims.jobs {
                    let lease = Box::new(told::leased(claimed, claims.now));
                    self.log.write(What::Leased { op, lease });
                }
                let jobs = claims.jobs.len() as u64;
                let now = claims.now;
                self.answered([(op, Answer::Claimed { jobs, now })]);
            }
            Err(error) => self.failed([op], error),
        }
        claims
    }

    async fn commit(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        let ops: Vec<Committing> = commits.iter().map(|c| self.committing(c)).collect();
        let answers = self.inner.commit(commits, now).await;
        match &answers {
            Ok(answers) => {
                for (ops, answer) in ops.iter().zip(answers) {
                    self.committed(ops, answer);
                }
            }
            Err(error) => self.failed(ops.iter().flat_map(Committing::all), error),
        }
        answers
    }

    async fn heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error> {
        let invoke = |beat: &Beat| {
            self.log.invoke(Call::Beat {
                job: beat.job,
                token: beat.token,
                timeout: beat.visibility_timeout,
            })
        };
        let ops: Vec<Op> = beats.iter().map(invoke).collect();
        let answers = self.inner.heartbeat(beats, now).await;
        match &answers {
            Ok(answers) => {
                let answers = answers.iter().map(told::beat_answer);
                self.answered(ops.into_iter().zip(answers));
            }
            Err(error) => self.failed(ops, error),
        }
        answers
    }

    async fn publish(
        &self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        let ops = self.publishing(events, None);
        let answers = self.inner.publish(events, now).await;
        match &answers {
            Ok(answers) => {
                let answers = answers.iter().map(|published| Answer::Published {
                    seq: published.seq,
                    woken: published.woken,
                });
                self.answered(ops.into_iter().zip(answers));
            }
            Err(error) => self.failed(ops, error),
        }
        answers
    }

    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
        self.inner.stats(now).await
    }

    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        self.inner.settings(prefix).await
    }

    async fn write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error> {
        let op = self.log.invoke(Call::Write {
            key: clip(&write.key),
            expected: write.expected,
            value: write.value.as_deref().map(hash),
        });
        let jobs = self.enqueuing(&write.jobs, Some(op));
        let answer = self.inner.write_setting(write, now).await;
        match &answer {
            Ok(Some(setting)) => {
                let revision = setting.revision;
                self.answered([(op, Answer::Written { revision })]);
                jobs.into_iter()
                    .for_each(|op| self.log.write(told::carried(op)));
            }
            Ok(None) => {
                self.answered([(op, Answer::Conflict)]);
                jobs.into_iter()
                    .for_each(|op| self.log.write(told::not_carried(op)));
            }
            Err(error) => self.failed([op].into_iter().chain(jobs), error),
        }
        answer
    }

    async fn prune(&self, bounds: &PruneBounds, now: Option<Timestamp>) -> Result<Pruned, Error> {
        let op = self.log.invoke(Call::Prune(told::bounds(bounds)));
        let answer = self.inner.prune(bounds, now).await;
        match &answer {
            Ok(pruned) => self.answered([(op, told::pruned(*pruned))]),
            Err(error) => self.failed([op], error),
        }
        answer
    }

    fn wake_ups(&self) -> WakeUps {
        self.inner.wake_ups()
    }

    fn inspect(&self) -> &dyn Inspect {
        self.inner.inspect()
    }

    fn transactions(&self) -> Option<&dyn Any> {
        self.inner.transactions()
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
