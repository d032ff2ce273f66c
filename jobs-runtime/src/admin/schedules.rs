//! Schedules, of tasks and made at run time, for people. What is done with them is said in
//! `schedule::keeper`.

use super::Admin;
use crate::Error;
use crate::contract::Enqueued;
use crate::core::{Missed, Overlap, Plan};
use crate::private::IntoTick;
use crate::registry::Registry;
use crate::schedule::{Backfilled, Keeper, Schedulable, ScheduleView};
use crate::store::Store;

/// The zone of a schedule that names none.
const UTC: &str = "UTC";

/// A schedule that is about to be made, or changed. Made by [`Admin::schedule`].
#[must_use = "nothing is stored until it says what it enqueues: add `.set(job).await`"]
pub struct NewSchedule<'a> {
    store: &'a Store,
    name: String,
    plan: Plan,
}

impl NewSchedule<'_> {
    /// The IANA name of the zone whose clock the expression reads; UTC without it.
    pub fn zone(mut self, zone: impl Into<String>) -> Self {
        self.plan.zone = zone.into();
        self
    }

    /// What becomes of ticks that fell due while nobody made them: no worker ran, or the schedule
    /// was paused. The newest of them is made, unless this says otherwise.
    pub fn missed(mut self, missed: Missed) -> Self {
        self.plan.missed = missed;
        self
    }

    /// What becomes of a tick that falls due while the job of the one before is live. It is made
    /// all the same, unless this says otherwise.
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.plan.overlap = overlap;
        self
    }

    /// Stores the schedule, to enqueue this job at each tick: a request, as for an enqueue, or a
    /// [`JobTemplate`](crate::JobTemplate). If there is a schedule of this name, it is changed: it
    /// keeps its last tick, and stays paused if it was. What was due by then is made first. If it
    /// says all this already, nothing is written; so it can be said again at each start.
    ///
    /// Each tick is a job of its own, also of a job with an idempotency key: that key is not
    /// asked for, since it would be the same each time. Everything else that the request does not
    /// say (queue, attempts, tenant, limits) follows the definition, as it is at the tick.
    ///
    /// # Errors
    /// Each with what to write instead, and before anything is stored: `X_SCHEDULE_INVALID` for an
    /// expression or a zone that is none, a job that is a task, a request that says what makes
    /// sense only once, or if the store has [`SCHEDULE_LIMIT`](crate::SCHEDULE_LIMIT) schedules;
    /// `X_JOB_UNKNOWN` if this program has no such job, `X_INPUT_UNDECODABLE` if the job does not
    /// take the input, `X_JOB_DUPLICATE` if a task has the name, `X_NAME_INVALID` and
    /// `X_PAYLOAD_TOO_LARGE` for what is too long. `X_CONFLICT` if the schedule does not stop
    /// changing, and any error of the store.
    pub async fn set(self, job: impl Schedulable) -> Result<ScheduleView, Error> {
        let wanted = job.for_schedule(&self.name)?;
        let registry = Registry::linked()?;
        let keeper = Keeper::new(self.store, &registry);
        keeper.set(&self.name, self.plan, wanted).await
    }
}

impl<'a> Admin<'a> {
    /// Makes a schedule, or changes the one of this name: `when` is a cron expression, or a length
    /// of time as in `every 15m`, as in `#[task]`. Workers of any program that defines its job make
    /// its ticks from [`NOTICED_WITHIN`](crate::NOTICED_WITHIN) on, and each tick is one job.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    /// use jobs_runtime::Overlap;
    ///
    /// #[job(idempotency = "report-of:{customer}")]
    /// async fn report_of(customer: u64) -> Result<()> {
    ///     step!("send", async { Ok::<_, Failure>(()) }).await?;
    ///     Ok(())
    /// }
    ///
    /// # async fn plan(jobs: &Jobs) -> Result<()> {
    /// let report = jobs
    ///     .admin()
    ///     .schedule("report-of-acme", "0 6 * * mon-fri")
    ///     .zone("Europe/Paris")
    ///     .overlap(Overlap::Skip)
    ///     .set(report_of(7).queue("slow"))
    ///     .await?;
    /// println!("the first at {:?}", report.next.first());
    /// # Ok(()) }
    /// ```
    pub fn schedule(&self, name: impl Into<String>, when: impl Into<String>) -> NewSchedule<'a> {
        NewSchedule {
            store: self.store,
            name: name.into(),
            plan: Plan {
                schedule: when.into(),
                zone: UTC.into(),
                missed: Missed::default(),
                overlap: Overlap::default(),
            },
        }
    }

    /// Every schedule, by name: the tasks of this program, those that others have left in the
    /// store, and the schedules that were made at run time.
    ///
    /// ```
    /// # async fn tell(jobs: &jobs_runtime::Jobs) -> jobs_runtime::Result<()> {
    /// for it in jobs.admin().schedules().await? {
    ///     println!("{}: {} in {}, next {:?}", it.name, it.plan.schedule, it.plan.zone, it.next);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store cannot be read; `X_JOB_DUPLICATE` if two jobs of this program claim a name.
    pub async fn schedules(&self) -> Result<Vec<ScheduleView>, Error> {
        Keeper::new(self.store, &Registry::linked()?).list().await
    }

    /// One schedule, as [`Admin::schedules`] tells it.
    ///
    /// # Errors
    /// `X_SCHEDULE_UNKNOWN`, with the nearest name there is; or if the store cannot be read.
    pub async fn show_schedule(&self, name: &str) -> Result<ScheduleView, Error> {
        Keeper::new(self.store, &Registry::linked()?)
            .show(name)
            .await
    }

    /// Makes no more ticks of a schedule, on any worker, until it is resumed. Jobs of earlier
    /// ticks go on.
    ///
    /// # Errors
    /// `X_SCHEDULE_UNKNOWN` if there is none of this name, or if it is a task that no worker has
    /// seen; `X_CONFLICT` if its timetable does not stop changing.
    pub async fn pause_schedule(&self, name: &str) -> Result<(), Error> {
        Keeper::new(self.store, &Registry::linked()?)
            .pause(name)
            .await
    }

    /// Makes ticks again. What fell due during the pause was missed: the schedule's `missed` says
    /// what becomes of it.
    ///
    /// # Errors
    /// As [`Admin::pause_schedule`]; `X_SCHEDULE_INVALID` if this program does not understand its
    /// expression or zone.
    pub async fn resume_schedule(&self, name: &str) -> Result<(), Error> {
        Keeper::new(self.store, &Registry::linked()?)
            .resume(name)
            .await
    }

    /// Removes a schedule that was made at run time. Jobs of earlier ticks go on; ticks that are
    /// due and not made yet are not made.
    ///
    /// # Errors
    /// `X_SCHEDULE_UNKNOWN` if there is none of this name; `X_JOB_DUPLICATE` if it is a task, which
    /// would be there again at the next look of a worker; `X_CONFLICT` if it does not stop changing.
    pub async fn remove_schedule(&self, name: &str) -> Result<(), Error> {
        Keeper::new(self.store, &Registry::linked()?)
            .remove(name)
            .await
    }

    /// Makes the ticks of a span of the past once more: from `from` on, which counts, to before
    /// `until`, and no later than now. A date or time without a zone is read in the schedule's own
    /// zone, whatever the machine's is. Ticks whose jobs are still in the store, live or ended, are
    /// not made again: so the same call can be made again after a failure, and makes the others.
    ///
    /// ```
    /// use jiff::civil::date;
    ///
    /// # async fn mend(jobs: &jobs_runtime::Jobs) -> jobs_runtime::Result<()> {
    /// let (from, until) = (date(2026, 3, 1), date(2026, 4, 1));
    /// let nights = jobs.admin().backfill("nightly_report", from, until).await?;
    /// println!("{} nights made, {} were there", nights.made.len(), nights.there.len());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `X_SCHEDULE_UNKNOWN` if there is no such schedule, or it is a task that this program does
    /// not define; `X_SCHEDULE_INVALID` for a span of more than
    /// [`BACKFILL_LIMIT_TICKS`](crate::BACKFILL_LIMIT_TICKS) ticks, or one that ends before it
    /// begins; `X_JOB_UNKNOWN` and `X_INPUT_UNDECODABLE` if this program cannot make its jobs. If
    /// the store fails, some may be made.
    pub async fn backfill(
        &self,
        name: &str,
        from: impl IntoTick,
        until: impl IntoTick,
    ) -> Result<Backfilled, Error> {
        let registry = Registry::linked()?;
        let keeper = Keeper::new(self.store, &registry);
        keeper.backfill(name, from, until).await
    }

    /// Enqueues the job of a schedule once, now, paused or not. The timetable does not change, and
    /// the job is no tick of it; that of a task gets a [`Tick`](crate::Tick) of this instant. Said
    /// twice, it makes two jobs.
    ///
    /// # Errors
    /// As [`Admin::backfill`]; `X_OUTCOME_UNKNOWN` if the job may have been stored.
    pub async fn run_schedule(&self, name: &str) -> Result<Enqueued, Error> {
        Keeper::new(self.store, &Registry::linked()?)
            .run(name)
            .await
    }
}
