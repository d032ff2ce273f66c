//! Tasks, for people: when they fire, what they passed over, and the verbs on them.

use super::{Admin, MAX_TRIES, nearest};
use crate::Error;
use crate::contract::SettingWrite;
use crate::core::{Made, Plan, Skipped, Timestamp, Timetable};
use crate::private::IntoTick;
use crate::registry::{JobDef, Registry};
use crate::schedule::{Calendar, Tick, read_timetable, tick_row, timetable_key, written_timetable};

/// Ticks of each task that [`Admin::tasks`] tells.
const TOLD_TICKS: usize = 5;
/// Ticks that one [`Admin::backfill`] makes at most.
pub const BACKFILL_LIMIT_TICKS: usize = 10_000;
/// Ticks of a backfill in one write.
const BATCH_TICKS: usize = 500;

/// A task, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskView {
    /// Its durable name; the oldest one if this program does not define it.
    pub name: String,
    /// The plan in place. It may be another version's, while two run side by side.
    pub plan: Plan,
    /// The plan of this program; `None` if it does not define the task. A task that no program
    /// defines any more does not fire.
    pub defined: Option<Plan>,
    /// Somebody stopped it.
    pub is_paused: bool,
    /// The next five ticks; none if it is paused, or if no worker has seen it yet.
    pub next: Vec<Timestamp>,
    /// The last tick that was made, and its job.
    pub last: Option<Made>,
    /// Ticks that were passed over, the newest last.
    pub skipped: Vec<Skipped>,
}

impl Admin<'_> {
    /// Every task of this program, and those that others have left in the store, by name.
    ///
    /// ```
    /// # async fn tell(jobs: &jobs_runtime::Jobs) -> jobs_runtime::Result<()> {
    /// for task in jobs.admin().tasks().await? {
    ///     println!("{}: {} in {}, next {:?}", task.name, task.plan.schedule, task.plan.zone, task.next);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store cannot be read; `X_JOB_DUPLICATE` if two jobs of this program claim a name.
    pub async fn tasks(&self) -> Result<Vec<TaskView>, Error> {
        let registry = Registry::linked()?;
        let stored = self.store.settings(Timetable::PREFIX).await?;
        let mut views = Vec::new();
        for setting in &stored {
            let scope = &setting.key[Timetable::PREFIX.len()..];
            let def = registry.find(scope).filter(|def| def.scope() == scope);
            views.push(view(scope, def, &read_timetable(setting)?));
        }
        for def in registry.defs() {
            let is_new = stored
                .iter()
                .all(|setting| setting.key != timetable_key(def));
            if let Some(task) = def.options.task.filter(|_| is_new) {
                views.push(unseen(def, task.plan()));
            }
        }
        views.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(views)
    }

    /// Stops a task on every worker, until it is resumed. Jobs of earlier ticks go on. What falls
    /// due meanwhile is not missed.
    ///
    /// # Errors
    /// `X_TASK_UNKNOWN` if no worker has seen such a task; `X_CONFLICT` if its timetable does not
    /// stop changing.
    pub async fn pause_task(&self, name: &str) -> Result<(), Error> {
        self.change_task(name, |table| Ok(table.paused())).await
    }

    /// Lets a task fire again, from its next tick after now on.
    ///
    /// # Errors
    /// As [`Admin::pause_task`]; `X_SCHEDULE_INVALID` if this program does not understand its
    /// schedule.
    pub async fn resume_task(&self, name: &str) -> Result<(), Error> {
        let now = self.store.env.clock.now();
        self.change_task(name, |table| {
            let calendar = calendar(&table.plan)?;
            Ok(table.resumed(now, &|after| calendar.next(after)))
        })
        .await
    }

    /// Makes the ticks of a span of the past once more: from `from` on, which counts, to before
    /// `until`. A date or time without a zone is read in the schedule's own zone, whatever the
    /// machine's is. Ticks whose jobs are still in the store are not made again. Gives the ticks
    /// of the span.
    ///
    /// ```
    /// use jiff::civil::date;
    ///
    /// # async fn mend(jobs: &jobs_runtime::Jobs) -> jobs_runtime::Result<()> {
    /// let (from, until) = (date(2026, 3, 1), date(2026, 4, 1));
    /// let ticks = jobs.admin().backfill("nightly_report", from, until).await?;
    /// println!("{} nights", ticks.len());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `X_TASK_UNKNOWN` if this program does not define the task; `X_SCHEDULE_INVALID` for a span
    /// of more than [`BACKFILL_LIMIT_TICKS`] ticks, or one that ends before it begins. If the
    /// store fails, some may be made, and the same call makes the others.
    pub async fn backfill(
        &self,
        name: &str,
        from: impl IntoTick,
        until: impl IntoTick,
    ) -> Result<Vec<Timestamp>, Error> {
        let registry = Registry::linked()?;
        let def = registry.find(name);
        let task = def.and_then(|def| Some((def, def.options.task?)));
        let Some((def, task)) = task else {
            return Err(unknown(name, &registry));
        };
        let plan = task.plan();
        let calendar = calendar(&plan)?;
        let bound = |at: Option<Timestamp>| {
            at.ok_or_else(|| Error::span_invalid(name, "it reaches beyond the calendar"))
        };
        let from = bound(from.into_tick(calendar.zone()))?;
        let until = bound(until.into_tick(calendar.zone()))?;
        if until < from {
            return Err(Error::span_invalid(name, "it ends before it begins"));
        }
        let ticks = calendar.within(from, until).take(BACKFILL_LIMIT_TICKS + 1);
        let ticks: Vec<Timestamp> = ticks.collect();
        if ticks.len() > BACKFILL_LIMIT_TICKS {
            let why = format_args!("it has more than {BACKFILL_LIMIT_TICKS} ticks");
            return Err(Error::span_invalid(name, why));
        }
        for batch in ticks.chunks(BATCH_TICKS) {
            let mut rows = Vec::with_capacity(batch.len());
            for at in batch {
                let row = tick_row(def, &Tick::new(*at, plan.zone.clone()))?;
                rows.push(self.store.sealed(row)?);
            }
            self.store.enqueue(&rows).await?;
        }
        Ok(ticks)
    }

    async fn change_task(
        &self,
        name: &str,
        change: impl Fn(&Timetable) -> Result<Timetable, Error>,
    ) -> Result<(), Error> {
        let registry = Registry::linked()?;
        let key = match registry.find(name) {
            Some(def) => timetable_key(def),
            None => format!("{}{name}", Timetable::PREFIX),
        };
        for _ in 0..MAX_TRIES {
            let stored = self.store.settings(&key).await?;
            let Some(setting) = stored.iter().find(|setting| setting.key == key) else {
                return Err(unknown(name, &registry));
            };
            let write = SettingWrite {
                value: Some(written_timetable(&change(&read_timetable(setting)?)?)?),
                expected: setting.revision,
                key: key.clone(),
                jobs: Vec::new(),
            };
            if self.store.write_setting(&write).await?.is_some() {
                return Ok(());
            }
        }
        Err(Error::setting_conflict(&key))
    }
}

fn view(scope: &str, def: Option<&JobDef>, table: &Timetable) -> TaskView {
    let defined = def.and_then(|def| Some(def.options.task?.plan()));
    let first = table.next.filter(|_| !table.paused && defined.is_some());
    let next = match Calendar::new(&table.plan) {
        Ok(calendar) => std::iter::successors(first, |at| calendar.next(*at))
            .take(TOLD_TICKS)
            .collect(),
        Err(_) => first.into_iter().collect(),
    };
    TaskView {
        name: def.map_or(scope, |def| def.name).into(),
        plan: table.plan.clone(),
        defined,
        is_paused: table.paused,
        next,
        last: table.last,
        skipped: table.skipped.clone(),
    }
}

/// A task that no worker has looked at yet.
fn unseen(def: &JobDef, plan: Plan) -> TaskView {
    TaskView {
        name: def.name.into(),
        defined: Some(plan.clone()),
        plan,
        is_paused: false,
        next: Vec::new(),
        last: None,
        skipped: Vec::new(),
    }
}

fn calendar(plan: &Plan) -> Result<Calendar, Error> {
    Calendar::new(plan).map_err(|why| Error::schedule_invalid(&plan.schedule, why))
}

fn unknown(name: &str, registry: &Registry) -> Error {
    let tasks = registry.defs().filter(|def| def.options.task.is_some());
    Error::task_unknown(name, nearest(name, tasks.map(|def| def.name)))
}
