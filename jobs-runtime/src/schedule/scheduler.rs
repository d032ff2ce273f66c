//! Looks through the tasks once: makes what is due, and says when to look again.

use super::row::{job_id, tick_row};
use super::{Calendar, Tick};
use crate::Error;
use crate::contract::{Setting, SettingWrite};
use crate::core::{Overlap, Plan, Timestamp, Timetable};
use crate::registry::{JobDef, Registry, TaskDef};
use crate::store::Store;
use crate::torture::seeded::fire;

/// Writes of one task in one look, so that one that catches up does not hold up the others.
const WRITE_LIMIT: usize = 20;

/// The tasks of a program on a store.
pub(crate) struct Scheduler {
    store: Store,
    tasks: Vec<(&'static JobDef, TaskDef)>,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// Jobs that were made.
    pub(crate) made: usize,
    /// The next tick of all tasks.
    pub(crate) next: Option<Timestamp>,
}

/// What came of one step.
enum Stepped {
    /// So many jobs were made, or the timetable changed, or another scheduler was faster.
    Moved(usize),
    /// Nothing is due before this.
    Waits(Option<Timestamp>),
}

impl Scheduler {
    /// All tasks of the program.
    pub(crate) fn of_all(store: Store, registry: &Registry) -> Self {
        Scheduler::of(store, registry.defs())
    }

    /// Those of these definitions that are tasks.
    pub(crate) fn of(store: Store, defs: impl IntoIterator<Item = &'static JobDef>) -> Self {
        let task = |def: &'static JobDef| def.options.task.map(|task| (def, task));
        Scheduler {
            store,
            tasks: defs.into_iter().filter_map(task).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Makes every tick that is due at `now` by the store's clock.
    ///
    /// # Errors
    /// If the store fails. What was written before stays, and the rest is made by the next look.
    pub(crate) async fn look(&self, now: Timestamp) -> Result<Looked, Error> {
        let mut looked = Looked::default();
        if self.is_empty() {
            return Ok(looked);
        }
        let stored = self.store.settings(Timetable::PREFIX).await?;
        for (def, task) in &self.tasks {
            let key = key_of(def);
            let mut setting = stored.iter().find(|setting| setting.key == key).cloned();
            for _ in 0..WRITE_LIMIT {
                match self.step(def, task, setting.as_ref(), now).await? {
                    Stepped::Waits(next) => {
                        looked.next = earliest(looked.next, next);
                        break;
                    }
                    Stepped::Moved(made) => looked.made += made,
                }
                setting = self.reread(&key).await?;
            }
        }
        Ok(looked)
    }

    async fn reread(&self, key: &str) -> Result<Option<Setting>, Error> {
        let found = self.store.settings(key).await?;
        Ok(found.into_iter().find(|setting| setting.key == key))
    }

    /// One write for a task, if one is to be made.
    async fn step(
        &self,
        def: &'static JobDef,
        task: &TaskDef,
        setting: Option<&Setting>,
        now: Timestamp,
    ) -> Result<Stepped, Error> {
        let plan = task.plan();
        let Some(setting) = setting else {
            let Some(calendar) = calendar(def, &plan) else {
                return Ok(Stepped::Waits(None));
            };
            let table = Timetable::new(plan, now, &|after| calendar.next(after));
            self.write(def, &table, 0, Vec::new()).await?;
            return Ok(Stepped::Moved(0));
        };
        let table = match read(setting) {
            Ok(table) => table,
            Err(error) => {
                tracing::warn!(task = def.name, %error, "the stored timetable of a task cannot be read; the task does not fire");
                return Ok(Stepped::Waits(None));
            }
        };
        if table.is_due(now)
            && let Some(calendar) = calendar(def, &table.plan)
        {
            return self
                .fire(def, &table, setting.revision, &calendar, now)
                .await;
        }
        if table.is_to_replan(&plan, now)
            && let Some(calendar) = calendar(def, &plan)
        {
            tracing::info!(task = def.name, old = ?table.plan, new = ?plan, "a task has another schedule from now on");
            let table = table.replanned(plan, now, &|after| calendar.next(after));
            self.write(def, &table, setting.revision, Vec::new())
                .await?;
            return Ok(Stepped::Moved(0));
        }
        Ok(Stepped::Waits(
            table.next.filter(|next| !table.paused && *next > now),
        ))
    }

    async fn fire(
        &self,
        def: &'static JobDef,
        table: &Timetable,
        revision: u64,
        calendar: &Calendar,
        now: Timestamp,
    ) -> Result<Stepped, Error> {
        let is_busy = self.is_busy(table).await?;
        let next = |after| calendar.next(after);
        let (make, after) = fire(table, now, is_busy, &next, |tick| job_id(def, tick));
        let mut jobs = Vec::with_capacity(make.len());
        for tick in &make {
            let mut given = Tick::new(tick.at, table.plan.zone.clone());
            given.previous = tick.previous;
            jobs.push(self.store.sealed(tick_row(def, &given)?)?);
        }
        if after.skipped != table.skipped {
            tracing::info!(task = def.name, skipped = ?after.skipped.last(), "ticks of a task were passed over");
        }
        let made = jobs.len();
        Ok(Stepped::Moved(
            match self.write(def, &after, revision, jobs).await? {
                true => made,
                // Another scheduler was faster: it made them.
                false => 0,
            },
        ))
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
        def: &'static JobDef,
        table: &Timetable,
        expected: u64,
        jobs: Vec<crate::core::NewJob>,
    ) -> Result<bool, Error> {
        let write = SettingWrite {
            key: key_of(def),
            value: Some(written(table)?),
            expected,
            jobs,
        };
        Ok(self.store.write_setting(&write).await?.is_some())
    }
}

impl TaskDef {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schedule: self.schedule.into(),
            zone: self.zone.into(),
            missed: self.missed,
            overlap: self.overlap,
        }
    }
}

/// The key of a task's timetable. A task that was renamed keeps it.
pub(crate) fn key_of(def: &JobDef) -> String {
    format!("{}{}", Timetable::PREFIX, def.scope())
}

/// Reads a stored timetable.
pub(crate) fn read(setting: &Setting) -> Result<Timetable, Error> {
    serde_json::from_slice(&setting.value)
        .map_err(|error| Error::store_corrupt(format_args!("the setting {}: {error}", setting.key)))
}

/// A timetable as it is stored.
pub(crate) fn written(table: &Timetable) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(table).map_err(|error| Error::unencodable("Timetable", error))
}

/// The calendar of a plan; a plan of a newer program may be none that this one understands.
fn calendar(def: &JobDef, plan: &Plan) -> Option<Calendar> {
    match Calendar::new(plan) {
        Ok(calendar) => Some(calendar),
        Err(why) => {
            tracing::warn!(
                task = def.name,
                ?plan,
                why,
                "a stored schedule is not understood; this program does not fire the task"
            );
            None
        }
    }
}

fn earliest(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}
