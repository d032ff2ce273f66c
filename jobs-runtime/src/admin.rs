//! The operator's verbs and views: one API, for a program, a terminal or a page.

mod explain;
mod queues;
mod schedules;

pub use explain::{Explanation, Reason};
pub use schedules::NewSchedule;

use crate::Error;
use crate::client::{Jobs, following};
use crate::contract::{
    Enqueued, JobFilter, JobView, Page, PageCursor, PruneBounds, Pruned, QueueStats,
};
use crate::core::{
    Commit, CommitAnswer, Job, JobId, JobSpec, NewJob, OnConflict, RunId, State, StepRecord,
    Visible,
};
use crate::private::IntoTimestamp;
use crate::retention::Retention;
use crate::store::Store;

/// Dead letters that one write of a purge removes.
const PURGE_LIMIT_ROWS: usize = 500;

/// Tries of one change when the job changes under it.
const MAX_TRIES: u32 = 5;

/// The operator's verbs. Made by [`crate::Jobs::admin`].
pub struct Admin<'a> {
    store: &'a Store,
}

impl<'a> Admin<'a> {
    pub(crate) fn new(store: &'a Store) -> Self {
        Admin { store }
    }

    /// One job with its journal, inbox and log; `None` if it is not there.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn show(&self, id: JobId) -> Result<Option<JobView>, Error> {
        self.store.inspect().view(id).await
    }

    /// Jobs of any state, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list(
        &self,
        filter: &JobFilter,
        after: Option<PageCursor>,
        limit: usize,
    ) -> Result<Page, Error> {
        self.store.inspect().list(filter, after, limit).await
    }

    /// Counts by queue.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn stats(&self) -> Result<Vec<QueueStats>, Error> {
        self.store.stats().await
    }

    /// Ends a live job. Once this returns no step of it is stored any more. Of a job that went on
    /// as another run with [`continue_as`](crate::JobContext::continue_as) this ends the run that
    /// is live, and with it the chain.
    ///
    /// # Errors
    /// `X_JOB_UNKNOWN`; `X_CONFLICT` if the job has ended or does not stop changing.
    pub async fn cancel(&self, id: JobId) -> Result<(), Error> {
        let mut live = id;
        for _ in 0..MAX_TRIES {
            let view = self.show(live).await?;
            let view = view.ok_or_else(|| Error::job_unknown(live))?;
            let mut job = view.job;
            while !job.head.state.is_live()
                && let Some(next) = following(self.store, &job).await?
            {
                job = next;
            }
            live = job.spec.id;
            let commit = Commit::cancel(live, job.spec.run_id, job.head.revision);
            if self.changed(&job, commit).await? {
                return Ok(());
            }
        }
        Err(Error::conflict(id))
    }

    /// Revives an ended or held job: its completed steps stay, and it has all its attempts again.
    /// Children that were cancelled with it are enqueued anew.
    ///
    /// # Errors
    /// `X_JOB_UNKNOWN`; `X_JOB_DUPLICATE` if a newer job holds its key; `X_CONFLICT` if it is
    /// live.
    pub async fn requeue(&self, id: JobId) -> Result<(), Error> {
        self.requeue_without(id, |_| Ok(Vec::new())).await
    }

    /// As [`Admin::requeue`], but runs again from `step` on: that step and all that were
    /// delivered after it are forgotten, and the events they took are free again. A child of a
    /// forgotten step stays as it is; the step makes another.
    ///
    /// # Errors
    /// Also `X_STEP_UNKNOWN`, with the nearest name there is.
    pub async fn requeue_from(&self, id: JobId, step: &str) -> Result<(), Error> {
        self.requeue_without(id, |view| from_step(&view.journal, step))
            .await
    }

    async fn requeue_without(
        &self,
        id: JobId,
        removed: impl Fn(&JobView) -> Result<Vec<String>, Error>,
    ) -> Result<(), Error> {
        for _ in 0..MAX_TRIES {
            let view = self.show(id).await?.ok_or_else(|| Error::job_unknown(id))?;
            let mut removed = removed(&view)?;
            self.add_cancelled_children(&view, &mut removed).await?;
            let (run, head) = (view.job.spec.run_id, &view.job.head);
            let commit = Commit::requeue(id, run, head.revision, removed);
            if self.changed(&view.job, commit).await? {
                return Ok(());
            }
        }
        Err(Error::conflict(id))
    }

    /// The pending steps whose children somebody cancelled: they would only hear of that.
    async fn add_cancelled_children(
        &self,
        view: &JobView,
        removed: &mut Vec<String>,
    ) -> Result<(), Error> {
        for record in view.journal.iter().filter(|r| r.position.is_none()) {
            let Some(child) = record.child else { continue };
            let child = self.store.inspect().job(child).await?;
            let is_cancelled = child.is_some_and(|child| child.head.state == State::Cancelled);
            if is_cancelled && !removed.contains(&record.name) {
                removed.push(record.name.clone());
            }
        }
        Ok(())
    }

    /// Enqueues the job once more as a run of its own, which begins as this one did: with the
    /// results of all steps before `from_step`, and the values that the body drew beside them.
    /// The job itself stays as it is, and may be live. The fork has no key; with one, see
    /// [`Admin::fork_as`].
    ///
    /// Its steps are done in the world a second time: that is what it is for, and why it is
    /// never done by itself.
    ///
    /// # Errors
    /// `X_JOB_UNKNOWN`; `X_STEP_UNKNOWN`, with the nearest name there is.
    pub async fn fork(&self, id: JobId, from_step: &str) -> Result<Enqueued, Error> {
        self.fork_keyed(id, from_step, None).await
    }

    /// As [`Admin::fork`], under this key.
    ///
    /// # Errors
    /// Also `X_JOB_DUPLICATE` if a live job of this name holds the key.
    pub async fn fork_as(&self, id: JobId, from_step: &str, key: &str) -> Result<Enqueued, Error> {
        self.fork_keyed(id, from_step, Some(key.to_owned())).await
    }

    async fn fork_keyed(
        &self,
        id: JobId,
        from_step: &str,
        key: Option<String>,
    ) -> Result<Enqueued, Error> {
        let view = self.show(id).await?.ok_or_else(|| Error::job_unknown(id))?;
        let env = &self.store.env;
        let now = env.clock.now();
        let origin = view.job.spec;
        let fork = NewJob {
            prefix: before_step(&view.journal, from_step, origin.run_id)?,
            spec: JobSpec {
                id: JobId::new(now, env.entropy.bits()),
                run_id: RunId::new(now, env.entropy.bits()),
                key,
                fork_of: Some(origin.run_id),
                // What was true of the other run only.
                expires_at: None,
                parent: None,
                tick: None,
                continued_from: None,
                chain: None,
                ..origin
            },
            visible: Visible::Now,
            attempts_max: view.job.head.attempts_max,
            on_conflict: OnConflict::Error,
            unique_for: None,
            window: None,
            expires: None,
        };
        Jobs::of(self.store.clone()).enqueue_raw(fork).await
    }

    /// Removes what is older than `bounds` say. Dead letters stay unless they are named there.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn prune(&self, bounds: &PruneBounds) -> Result<Pruned, Error> {
        self.store.prune(bounds).await
    }

    /// Removes what this retention does not keep, and events whose time is over, in many short
    /// writes. Gives what was removed. A worker does it by itself with
    /// [`Worker::retention`](crate::Worker::retention).
    ///
    /// # Errors
    /// If the store cannot be written. What was removed before that stays removed.
    pub async fn sweep(&self, retention: &Retention) -> Result<Pruned, Error> {
        retention.sweep(self.store).await
    }

    /// Removes the dead letters that ended before `before`, whatever retention says: nothing else
    /// ever does. Gives how many there were.
    ///
    /// # Errors
    /// If the store cannot be written. What was removed before that stays removed.
    pub async fn purge_dead_letters(&self, before: impl IntoTimestamp) -> Result<u64, Error> {
        let bounds = PruneBounds {
            dead_before: Some(before.into_timestamp()),
            limit: PURGE_LIMIT_ROWS,
            ..PruneBounds::default()
        };
        let mut purged = 0;
        loop {
            let pruned = self.store.prune(&bounds).await?;
            purged += pruned.dead_letters;
            if pruned == Pruned::default() {
                return Ok(purged);
            }
        }
    }

    /// False if the job changed since it was looked at, or its state does not allow the change.
    async fn changed(&self, job: &Job, commit: Commit) -> Result<bool, Error> {
        let id = self.store.env.entropy.bits() as u64;
        let commit = [commit.with_id(id)];
        let mut answer = self.store.commit(&commit).await;
        for _ in 1..MAX_TRIES {
            match &answer {
                // It is known by its id, and so applied once.
                Err(error) if error.is_outcome_unknown() => {
                    answer = self.store.commit(&commit).await;
                }
                _ => break,
            }
        }
        match answer?.into_iter().next() {
            Some(CommitAnswer::Applied(_)) => Ok(true),
            Some(CommitAnswer::Duplicate(holder)) => {
                let key = job.spec.key.as_deref().unwrap_or_default();
                Err(Error::key_taken(&job.spec.name, key, holder))
            }
            _ => Ok(false),
        }
    }
}

/// The records that go when a job runs again from `step`: that step's position and all after it,
/// and everything that has none.
fn from_step(journal: &[StepRecord], step: &str) -> Result<Vec<String>, Error> {
    let Some(first) = journal.iter().find(|record| record.name == step) else {
        let near = nearest(step, journal.iter().map(|record| record.name.as_str()));
        return Err(Error::step_unknown(step, near));
    };
    let goes = |record: &&StepRecord| {
        record.position.is_none() || first.position.is_some_and(|at| record.position >= Some(at))
    };
    Ok(journal
        .iter()
        .filter(goes)
        .map(|record| record.name.clone())
        .collect())
}

/// The records with which a fork of `run` begins: all that were delivered before `step`.
fn before_step(journal: &[StepRecord], step: &str, run: RunId) -> Result<Vec<StepRecord>, Error> {
    let goes = from_step(journal, step)?;
    let stays = journal
        .iter()
        .filter(|record| record.position.is_some() && !goes.contains(&record.name));
    Ok(stays
        .map(|record| StepRecord {
            copied_from: record.copied_from.or(Some(run)),
            ..record.clone()
        })
        .collect())
}

/// The name that somebody who wrote `wanted` most likely meant.
pub(crate) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|name| (strsim::damerau_levenshtein(wanted, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .min()
        .map(|(_, name)| name)
}
