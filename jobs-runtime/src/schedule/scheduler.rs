//! Looks through the schedules once: makes what is due, and says when to look again.

use super::row::Series;
use super::stored::{key, key_of, name_in, read, written};
use super::troubles::Troubles;
use super::{Calendar, Tick};
use crate::Error;
use crate::contract::{Setting, SettingWrite};
use crate::core::{NewJob, Overlap, Plan, Timestamp, Timetable};
use crate::registry::{JobDef, Registry, TaskDef};
use crate::store::Store;
use crate::torture::seeded::fire;
use std::sync::Arc;

/// Writes of one schedule in one look, so that one that catches up does not hold up the others.
const WRITE_LIMIT: usize = 20;

/// The schedules of a program on a store: its tasks, and those that were made at run time.
pub(crate) struct Scheduler {
    store: Store,
    tasks: Vec<(&'static JobDef, TaskDef)>,
    /// Where the jobs of schedules that were made at run time are found; `None` leaves those
    /// schedules to others.
    jobs: Option<Arc<Registry>>,
    troubles: Troubles,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// Jobs that were made.
    pub(crate) made: usize,
    /// The next tick of all schedules.
    pub(crate) next: Option<Timestamp>,
}

/// Whose ticks a schedule makes.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// Those of a job among these.
    Stored(&'a Registry),
    /// Those of a task.
    Task(&'static JobDef, &'a TaskDef),
}

/// What came of one step.
enum Stepped {
    /// So many jobs were made, and the timetable stands so now; `None` if another scheduler was
    /// faster.
    Moved(usize, Option<Setting>),
    /// Nothing is due before this.
    Waits(Option<Timestamp>),
}

impl Scheduler {
    /// All that a program is to make ticks of.
    pub(crate) fn of_all(store: Store, registry: &Arc<Registry>) -> Self {
        Scheduler::of(store, registry.defs()).with_stored(Arc::clone(registry))
    }

    /// Those of these definitions that are tasks.
    pub(crate) fn of(store: Store, defs: impl IntoIterator<Item = &'static JobDef>) -> Self {
        let task = |def: &'static JobDef| def.options.task.map(|task| (def, task));
        Scheduler {
            store,
            tasks: defs.into_iter().filter_map(task).collect(),
            jobs: None,
            troubles: Troubles::default(),
        }
    }

    /// And the schedules that were made at run time, of these jobs.
    pub(crate) fn with_stored(self, jobs: Arc<Registry>) -> Self {
        Scheduler {
            jobs: Some(jobs),
            ..self
        }
    }

    /// Whether it never has anything to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.jobs.is_none()
    }

    /// Makes every tick that is due at `now` by the store's clock.
    ///
    /// # Errors
    /// If the store fails. What was written before stays, and the rest is made by the next look.
    pub(crate) async fn look(&self, now: Timestamp) -> Result<Looked, Error> {
        let mut looked = Looked::default();
        if self.is_idle() {
            return Ok(looked);
        }
        let stored = self.store.settings(Timetable::PREFIX).await?;
        self.troubles.forget_all_but(&stored);
        for (def, task) in &self.tasks {
            let key = key_of(def);
            let setting = stored.iter().find(|setting| setting.key == key).cloned();
            let source = Source::Task(def, task);
            self.work(source, &key, setting, now, &mut looked).await?;
        }
        let Some(jobs) = &self.jobs else {
            return Ok(looked);
        };
        for setting in stored {
            let key = setting.key.clone();
            let source = Source::Stored(jobs);
            self.work(source, &key, Some(setting), now, &mut looked)
                .await?;
        }
        Ok(looked)
    }

    /// Makes what is due of one schedule that was made at run time.
    ///
    /// # Errors
    /// As [`Scheduler::look`].
    pub(crate) async fn look_at(&self, name: &str, now: Timestamp) -> Result<(), Error> {
        let (key, mut looked) = (key(name), Looked::default());
        let (Some(setting), Some(jobs)) = (self.reread(&key).await?, &self.jobs) else {
            return Ok(());
        };
        let source = Source::Stored(jobs);
        self.work(source, &key, Some(setting), now, &mut looked)
            .await
    }

    /// Steps of one schedule, until it waits. What is wrong with one holds up no other.
    async fn work(
        &self,
        source: Source<'_>,
        key: &str,
        mut setting: Option<Setting>,
        now: Timestamp,
        looked: &mut Looked,
    ) -> Result<(), Error> {
        for _ in 0..WRITE_LIMIT {
            let stepped = match source {
                Source::Task(def, task) => {
                    self.step_of_task(def, task, setting.as_ref(), now).await
                }
                Source::Stored(jobs) => self.step_of_stored(jobs, setting.as_ref(), now).await,
            };
            match stepped {
                Ok(Stepped::Waits(next)) => {
                    looked.next = looked.next.into_iter().chain(next).min();
                    return Ok(());
                }
                Ok(Stepped::Moved(made, after)) => {
                    looked.made += made;
                    setting = match after {
                        Some(after) => Some(after),
                        None => self.reread(key).await?,
                    };
                }
                Err(error) if !error.is_transient() => {
                    self.complain(setting.as_ref(), &error);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn reread(&self, key: &str) -> Result<Option<Setting>, Error> {
        let found = self.store.settings(key).await?;
        Ok(found.into_iter().find(|setting| setting.key == key))
    }

    /// One write for a task, if one is to be made.
    async fn step_of_task(
        &self,
        def: &'static JobDef,
        task: &TaskDef,
        setting: Option<&Setting>,
        now: Timestamp,
    ) -> Result<Stepped, Error> {
        let plan = task.plan();
        let Some(setting) = setting else {
            let Some(calendar) = calendar(def.scope(), &plan) else {
                return Ok(Stepped::Waits(None));
            };
            let table = Timetable::new(plan, now, &|after| calendar.next(after));
            let key = key_of(def);
            let written = self.write(&key, &table, 0, Vec::new()).await?;
            return Ok(Stepped::Moved(0, written));
        };
        let Some(table) = self.table(setting) else {
            return Ok(Stepped::Waits(None));
        };
        if table.job.is_some() {
            self.troubles.tell(setting, || {
                tracing::error!(
                    task = def.name,
                    "a schedule that was made at run time has the name of this task, which does not fire; remove the one, or rename the other"
                );
            });
            return Ok(Stepped::Waits(None));
        }
        if table.is_due(now)
            && let Some(calendar) = calendar(def.scope(), &table.plan)
        {
            let series = Series::of_task(def);
            return self.fire(&series, &table, setting, &calendar, now).await;
        }
        if table.is_to_replan(&plan, now)
            && let Some(calendar) = calendar(def.scope(), &plan)
        {
            tracing::info!(task = def.name, old = ?table.plan, new = ?plan, "a task has another schedule from now on");
            let table = table.replanned(plan, now, &|after| calendar.next(after));
            let written = self
                .write(&setting.key, &table, setting.revision, Vec::new())
                .await?;
            return Ok(Stepped::Moved(0, written));
        }
        Ok(waits(&table, now))
    }

    /// One write for a schedule that was made at run time, if that is one and a write is to be made.
    async fn step_of_stored(
        &self,
        jobs: &Registry,
        setting: Option<&Setting>,
        now: Timestamp,
    ) -> Result<Stepped, Error> {
        // It was removed meanwhile.
        let Some(setting) = setting else {
            return Ok(Stepped::Waits(None));
        };
        let Some(table) = self.table(setting) else {
            return Ok(Stepped::Waits(None));
        };
        let Some(template) = &table.job else {
            return Ok(Stepped::Waits(None));
        };
        if !table.is_due(now) {
            return Ok(waits(&table, now));
        }
        let series = Series::of_template(name_in(setting), template, jobs, &self.store)?;
        match calendar(series.name, &table.plan) {
            Some(calendar) => self.fire(&series, &table, setting, &calendar, now).await,
            None => Ok(Stepped::Waits(None)),
        }
    }

    /// `None`, and a word in the log, if it cannot be read.
    fn table(&self, setting: &Setting) -> Option<Timetable> {
        match read(setting) {
            Ok(table) => Some(table),
            Err(error) => {
                self.troubles.tell(setting, || {
                    let schedule = name_in(setting);
                    tracing::warn!(schedule, %error, "a stored timetable cannot be read; the schedule does not fire");
                });
                None
            }
        }
    }

    /// A word in the log on a tick that is not made here. Another program may make it, and after a
    /// change to the schedule it is tried again.
    fn complain(&self, setting: Option<&Setting>, error: &Error) {
        let Some(setting) = setting else {
            tracing::error!(code = error.code(), %error, fix = error.fix(), "a task cannot be scheduled");
            return;
        };
        self.troubles.tell(setting, || {
            tracing::error!(
                schedule = name_in(setting), code = error.code(), %error, fix = error.fix(),
                "a tick is due that this program cannot make; it is left to others"
            );
        });
    }

    async fn fire(
        &self,
        series: &Series<'_>,
        table: &Timetable,
        setting: &Setting,
        calendar: &Calendar,
        now: Timestamp,
    ) -> Result<Stepped, Error> {
        let is_busy = self.is_busy(table).await?;
        let next = |after| calendar.next(after);
        let (make, after) = fire(table, now, is_busy, &next, |tick| series.job_id(tick));
        let mut jobs = Vec::with_capacity(make.len());
        for tick in &make {
            let mut given = Tick::new(tick.at, table.plan.zone.clone());
            given.previous = tick.previous;
            jobs.push(self.store.sealed(series.tick_row(&given)?)?);
        }
        if after.skipped != table.skipped {
            tracing::info!(schedule = series.name, skipped = ?after.skipped.last(), "ticks of a schedule were passed over");
        }
        let made = jobs.len();
        let written = self
            .write(&setting.key, &after, setting.revision, jobs)
            .await?;
        // If another scheduler was faster, it made them.
        let made = if written.is_some() { made } else { 0 };
        Ok(Stepped::Moved(made, written))
    }

    /// Whether the job of the last tick is live, if that matters.
    async fn is_busy(&self, table: &Timetable) -> Result<bool, Error> {
        let last = match (table.plan.overlap, &table.last) {
            (Overlap::Skip, Some(last)) => last.job,
            _ => return Ok(false),
        };
        let job = self.store.inspect().job(last).await?;
        Ok(job.is_some_and(|job| job.head.state.is_live()))
    }

    async fn write(
        &self,
        key: &str,
        table: &Timetable,
        expected: u64,
        jobs: Vec<NewJob>,
    ) -> Result<Option<Setting>, Error> {
        let write = SettingWrite {
            key: key.into(),
            value: Some(written(table)?),
            expected,
            jobs,
        };
        self.store.write_setting(&write).await
    }
}

fn waits(table: &Timetable, now: Timestamp) -> Stepped {
    Stepped::Waits(table.next.filter(|next| !table.paused && *next > now))
}

/// The calendar of a plan; a plan of a newer program may be none that this one understands.
fn calendar(schedule: &str, plan: &Plan) -> Option<Calendar> {
    match Calendar::new(plan) {
        Ok(calendar) => Some(calendar),
        Err(why) => {
            tracing::warn!(
                schedule,
                ?plan,
                why,
                "a stored schedule is not understood; this program does not fire it"
            );
            None
        }
    }
}
