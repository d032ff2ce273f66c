//! What a person does to jobs beside the programs: cancels, revives, forks, pauses, limits, prunes,
//! and keeps a schedule.

use super::choices::Choices;
use super::schedules;
use crate::contract::{JobFilter, PruneBounds, PruneRule};
use crate::core::{Job, JobId, Millis, State};
use crate::{Error, Jobs, Limit};
use std::time::Duration;

/// Jobs that a person looks at, at a time.
const PAGE: usize = 40;
/// Ended jobs of each name that a removal by count leaves.
const KEPT: u64 = 3;
/// Whatever ended within so much time stays: longer than anybody sends an enqueue again, even one who
/// was paused meanwhile.
const SPARED: Millis = Millis::secs(60);
/// The same of removals by age beside a removal by count, which so has something left to remove.
const SPARED_BY_AGE: Millis = Millis::secs(120);

/// A person with the rights to everything.
#[derive(Debug)]
pub struct Operator {
    choices: Choices,
    paused: Option<&'static str>,
}

impl Operator {
    /// One who does what follows from these choices.
    #[must_use]
    pub fn new(choices: Choices) -> Self {
        Operator {
            choices,
            paused: None,
        }
    }

    /// How long to wait before the next act, around `mean` milliseconds.
    pub fn pause(&mut self, mean: u64) -> Duration {
        Duration::from_millis(self.choices.around(mean))
    }

    /// Does the next thing.
    ///
    /// # Errors
    /// What the store said; a person goes on after it.
    pub async fn act(&mut self, jobs: &Jobs) -> Result<(), Error> {
        let admin = jobs.admin();
        let kind = self.choices.weighted(
            &[
                (30, 0),
                (25, 1),
                (10, 2),
                (12, 3),
                (8, 4),
                (5, 5),
                (6, 6),
                (4, 7),
                (12, 8),
                (5, 9),
            ],
            0,
        );
        match kind {
            1 => match self.pick(jobs, |state| !state.is_live()).await? {
                Some(job) => admin.requeue(job.spec.id).await,
                None => Ok(()),
            },
            2 => match self.recorded(jobs, |state| !state.is_live()).await? {
                Some((id, step)) => admin.requeue_from(id, &step).await,
                None => Ok(()),
            },
            3 => match self.recorded(jobs, |_| true).await? {
                Some((id, step)) => admin.fork(id, &step).await.map(drop),
                None => Ok(()),
            },
            4 => self.toggle(jobs).await,
            5 => admin.stats().await.map(drop),
            6 => self.prune(jobs, false).await,
            7 => self.prune(jobs, true).await,
            8 => schedules::act(&mut self.choices, jobs).await,
            9 => self.limit(jobs).await,
            _ => match self.pick(jobs, State::is_live).await? {
                Some(job) => admin.cancel(job.spec.id).await,
                None => Ok(()),
            },
        }
    }

    /// Lets everything run again, and comes to rest.
    ///
    /// # Errors
    /// If the setting could not be stored.
    pub async fn leave(&mut self, jobs: &Jobs) -> Result<(), Error> {
        self.resume(jobs).await?;
        schedules::leave(jobs).await
    }

    /// Resumes every queue.
    pub(crate) async fn resume(&mut self, jobs: &Jobs) -> Result<(), Error> {
        for queue in QUEUES {
            jobs.admin().resume(queue).await?;
        }
        self.paused = None;
        Ok(())
    }

    async fn toggle(&mut self, jobs: &Jobs) -> Result<(), Error> {
        if let Some(queue) = self.paused {
            jobs.admin().resume(queue).await?;
            self.paused = None;
            return Ok(());
        }
        let queue = QUEUES[self.choices.below(QUEUES.len() as u64) as usize];
        self.paused = Some(queue);
        jobs.admin().pause(queue).await
    }

    /// Holds limited jobs to less than they declare, or to that again: so what they declare is what
    /// holds at every instant.
    async fn limit(&mut self, jobs: &Jobs) -> Result<(), Error> {
        let limit = match self.choices.per_mille(500) {
            true => Limit::NONE.concurrency(1),
            false => Limit::NONE,
        };
        jobs.admin().limit_job("torture-limited", limit).await
    }

    /// Removes what is old: of ended jobs and events, or also of dead letters.
    async fn prune(&mut self, jobs: &Jobs, dead: bool) -> Result<(), Error> {
        let now = jobs.store().env.clock.now();
        let by_count = self.choices.per_mille(300);
        let before = now.before(if by_count { SPARED_BY_AGE } else { SPARED });
        let bounds = PruneBounds {
            ended_before: before,
            // By age no more than the bound above lets go, by the other way of saying it; by count
            // also what is younger.
            rules: vec![PruneRule {
                name: None,
                state: State::Done,
                before: (!by_count).then_some(before),
                keep: by_count.then_some(KEPT),
            }],
            spared: SPARED,
            events_expired_before: now,
            dead_before: dead.then_some(before),
            limit: 20,
        };
        jobs.admin().prune(&bounds).await.map(drop)
    }

    async fn pick(
        &mut self,
        jobs: &Jobs,
        wanted: impl Fn(State) -> bool,
    ) -> Result<Option<Job>, Error> {
        let page = jobs
            .admin()
            .list(&JobFilter::default(), None, PAGE)
            .await?
            .jobs;
        let mut fit: Vec<Job> = page
            .into_iter()
            .filter(|job| wanted(job.head.state))
            .collect();
        if fit.is_empty() {
            return Ok(None);
        }
        let index = self.choices.below(fit.len() as u64) as usize;
        Ok(Some(fit.swap_remove(index)))
    }

    /// A job and one of the steps that were recorded of it.
    async fn recorded(
        &mut self,
        jobs: &Jobs,
        wanted: impl Fn(State) -> bool,
    ) -> Result<Option<(JobId, String)>, Error> {
        let Some(job) = self.pick(jobs, wanted).await? else {
            return Ok(None);
        };
        let Some(view) = jobs.admin().show(job.spec.id).await? else {
            return Ok(None);
        };
        let steps: Vec<&str> = view
            .journal
            .iter()
            .filter(|record| record.position.is_some())
            .map(|record| record.name.as_str())
            .collect();
        if steps.is_empty() {
            return Ok(None);
        }
        let step = steps[self.choices.below(steps.len() as u64) as usize];
        Ok(Some((job.spec.id, step.to_owned())))
    }
}

/// The queues of the workload.
const QUEUES: [&str; 2] = ["default", "side"];
