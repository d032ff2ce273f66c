//! What people change schedules by: made, changed, paused, resumed, removed. Ticks are made by the
//! [`Scheduler`](super::Scheduler), and those of the past by [`backfill`](super::backfill).

use super::row::Series;
use super::stored::{
    SCHEDULE_INPUT_LIMIT_BYTES, SCHEDULE_LIMIT, SCHEDULE_NAME_LIMIT_BYTES, key, read, written,
};
use super::template::Wanted;
use super::{Calendar, JobTemplate, ScheduleView, Scheduler, Tick};
use crate::Error;
use crate::client::Jobs;
use crate::contract::{Enqueued, Setting, SettingWrite, check_job};
use crate::core::{Plan, Template, Timestamp, Timetable};
use crate::registry::{JobDef, Registry};
use crate::store::Store;
use std::sync::Arc;

/// Tries of one change when the timetable changes under it.
const MAX_TRIES: u32 = 5;

/// The schedules of a store, as a program with these jobs keeps them.
pub(crate) struct Keeper<'a> {
    pub(super) store: &'a Store,
    pub(super) registry: &'a Arc<Registry>,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(store: &'a Store, registry: &'a Arc<Registry>) -> Self {
        Keeper { store, registry }
    }

    /// Makes a schedule, or changes the one of this name. Everything is looked at before anything
    /// is written.
    pub(crate) async fn set(
        &self,
        name: &str,
        plan: Plan,
        wanted: Wanted,
    ) -> Result<ScheduleView, Error> {
        check_name(name)?;
        if self.task(name).is_some() {
            return Err(Error::schedule_taken(name));
        }
        let calendar = calendar(&plan)?;
        let template = self.checked(name, &plan, &wanted)?;
        let next = |after| calendar.next(after);
        self.make_due_by_another(name, &plan).await?;
        for _ in 0..MAX_TRIES {
            let now = self.now().await?;
            let setting = self.stored(name).await?;
            let old = setting.as_ref().map(read).transpose()?;
            let table = match &old {
                None => {
                    self.check_room(name).await?;
                    Timetable::new(plan.clone(), now, &next)
                }
                Some(old) => match &old.job {
                    None => return Err(Error::schedule_taken(name)),
                    Some(job) if old.plan == plan && self.is_same(job, &wanted.job) => {
                        return Ok(self.view(name, old));
                    }
                    Some(_) => old.clone(),
                },
            };
            let table = table.set(plan.clone(), template.clone(), now, &next);
            let revision = setting.map_or(0, |setting| setting.revision);
            if self.write(&key(name), Some(&table), revision).await? {
                return Ok(self.view(name, &table));
            }
        }
        Err(Error::setting_conflict(&key(name)))
    }

    /// What is due by a plan that is about to be replaced comes first, as far as this program can
    /// make it.
    async fn make_due_by_another(&self, name: &str, plan: &Plan) -> Result<(), Error> {
        let Some(setting) = self.stored(name).await? else {
            return Ok(());
        };
        let (table, now) = (read(&setting)?, self.now().await?);
        if table.plan == *plan || !table.is_due(now) {
            return Ok(());
        }
        let jobs = Arc::clone(self.registry);
        let scheduler = Scheduler::of(self.store.clone(), []).with_stored(jobs);
        scheduler.look_at(name, now).await
    }

    pub(crate) async fn pause(&self, name: &str) -> Result<(), Error> {
        self.change(name, |table| Ok(table.paused())).await
    }

    pub(crate) async fn resume(&self, name: &str) -> Result<(), Error> {
        self.change(name, |table| {
            calendar(&table.plan)?;
            Ok(table.resumed())
        })
        .await
    }

    pub(crate) async fn remove(&self, name: &str) -> Result<(), Error> {
        for _ in 0..MAX_TRIES {
            let Some(setting) = self.stored(self.scope(name)).await? else {
                return Err(self.unknown(name).await);
            };
            if read(&setting)?.job.is_none() {
                return Err(Error::schedule_taken(name));
            }
            if self.write(&setting.key, None, setting.revision).await? {
                return Ok(());
            }
        }
        Err(Error::setting_conflict(&key(name)))
    }

    /// Enqueues the job of a schedule once, now, outside of its timetable.
    pub(crate) async fn run(&self, name: &str) -> Result<Enqueued, Error> {
        let table = match self.stored(self.scope(name)).await? {
            Some(setting) => Some(read(&setting)?),
            None => None,
        };
        let series = self.series(name, table.as_ref()).await?;
        let plan = self.plan(name, table.as_ref()).await?;
        let mut tick = Tick::new(self.now().await?, plan.zone);
        tick.previous = table.as_ref().and_then(|table| Some(table.last?.tick));
        let row = series.row_by_hand(&tick, &self.store.env)?;
        let row = self.store.sealed(row)?;
        Jobs::of(self.store.clone()).enqueue_row(row).await
    }

    /// The store's time.
    pub(super) async fn now(&self) -> Result<Timestamp, Error> {
        let now = self.store.env.clock.imposed();
        Ok(self.store.inspect().standings(&[], now).await?.now)
    }

    /// The task of this name in this program.
    pub(super) fn task(&self, name: &str) -> Option<&'static JobDef> {
        let def = self.registry.find(name);
        def.filter(|def| def.options.task.is_some())
    }

    /// Under which name the schedule is stored.
    pub(super) fn scope<'n>(&self, name: &'n str) -> &'n str {
        self.task(name).map_or(name, |def| def.scope())
    }

    pub(super) async fn stored(&self, scope: &str) -> Result<Option<Setting>, Error> {
        let key = key(scope);
        let found = self.store.settings(&key).await?;
        Ok(found.into_iter().find(|setting| setting.key == key))
    }

    /// What the ticks of a schedule enqueue.
    pub(super) async fn series<'n>(
        &self,
        name: &'n str,
        table: Option<&'n Timetable>,
    ) -> Result<Series<'n>, Error> {
        if let Some(template) = table.and_then(|table| table.job.as_ref()) {
            return Series::of_template(name, template, self.registry, self.store);
        }
        match self.task(name) {
            Some(def) => Ok(Series::of_task(def)),
            None => Err(self.unknown(name).await),
        }
    }

    /// When it fires: a task as this program says.
    pub(super) async fn plan(&self, name: &str, table: Option<&Timetable>) -> Result<Plan, Error> {
        let task = self.task(name).and_then(|def| def.options.task);
        match (table, task) {
            (Some(table), _) if table.job.is_some() => Ok(table.plan.clone()),
            (_, Some(task)) => Ok(task.plan()),
            (_, None) => Err(self.unknown(name).await),
        }
    }

    /// That there is no such schedule, and which one may be meant.
    pub(super) async fn unknown(&self, name: &str) -> Error {
        let stored = self.store.settings(Timetable::PREFIX).await;
        let stored = stored.unwrap_or_default();
        let tasks = self
            .registry
            .defs()
            .filter(|def| def.options.task.is_some());
        let names = stored.iter().map(super::stored::name_in);
        let names = names.chain(tasks.map(|def| def.name));
        Error::schedule_unknown(name, crate::admin::nearest(name, names))
    }

    /// What is stored of a job, if a driver would store the job of a tick.
    fn checked(&self, name: &str, plan: &Plan, wanted: &Wanted) -> Result<Template, Error> {
        let template = wanted.job.stored(self.store)?;
        let size = template.input.bytes.len();
        if size > SCHEDULE_INPUT_LIMIT_BYTES {
            let what = format_args!("the input of schedule \"{name}\"");
            return Err(Error::payload_too_large(
                what,
                size,
                SCHEDULE_INPUT_LIMIT_BYTES,
            ));
        }
        let series = Series::of_template(name, &template, self.registry, self.store)?;
        let def = self.registry.find(&template.name);
        if !wanted.alone && def.is_some_and(|def| def.options.outbox) {
            return Err(Error::outbox_without_tx(&template.name));
        }
        let row = series.tick_row(&Tick::new(Timestamp(0), plan.zone.clone()))?;
        check_job(&self.store.sealed(row)?, self.store.capabilities())?;
        Ok(template)
    }

    /// A codec may write one value as different bytes each time: so the values are compared.
    fn is_same(&self, stored: &Template, wanted: &JobTemplate) -> bool {
        let stored = JobTemplate::of(stored, self.store);
        let normal = |job: &JobTemplate| JobTemplate {
            priority: job.priority.map(|level| level.min(9)),
            attempts: job.attempts.map(|attempts| attempts.max(1)),
            ..job.clone()
        };
        stored.is_ok_and(|stored| stored == normal(wanted))
    }

    async fn check_room(&self, name: &str) -> Result<(), Error> {
        let stored = self.store.settings(Timetable::PREFIX).await?;
        if stored.len() < SCHEDULE_LIMIT {
            return Ok(());
        }
        Err(Error::schedule_refused(
            name,
            format_args!("the store has {SCHEDULE_LIMIT} schedules, which is the limit"),
            "remove those that are not needed; for many that fire together, let one job enqueue the others",
        ))
    }

    /// Reads, changes and writes a timetable, again if somebody else was faster.
    async fn change(
        &self,
        name: &str,
        change: impl Fn(&Timetable) -> Result<Timetable, Error>,
    ) -> Result<(), Error> {
        let scope = self.scope(name);
        for _ in 0..MAX_TRIES {
            let Some(setting) = self.stored(scope).await? else {
                return Err(self.unknown(name).await);
            };
            let table = change(&read(&setting)?)?;
            if self
                .write(&setting.key, Some(&table), setting.revision)
                .await?
            {
                return Ok(());
            }
        }
        Err(Error::setting_conflict(&key(scope)))
    }

    /// False if it changed since it was read.
    async fn write(
        &self,
        key: &str,
        table: Option<&Timetable>,
        expected: u64,
    ) -> Result<bool, Error> {
        let write = SettingWrite {
            key: key.into(),
            value: table.map(written).transpose()?,
            expected,
            jobs: Vec::new(),
        };
        Ok(self.store.write_setting(&write).await?.is_some())
    }
}

pub(super) fn calendar(plan: &Plan) -> Result<Calendar, Error> {
    Calendar::new(plan).map_err(|why| Error::schedule_invalid(&plan.schedule, why))
}

fn check_name(name: &str) -> Result<(), Error> {
    let refuse = |what: &str| {
        let fix = "take a short word, as in \"report-of-acme\"";
        Err(Error::name_invalid(
            format_args!("the name of a schedule {what}"),
            fix,
        ))
    };
    match name {
        "" => refuse("may not be empty"),
        long if long.len() > SCHEDULE_NAME_LIMIT_BYTES => refuse(&format!(
            "has {} bytes, and at most {SCHEDULE_NAME_LIMIT_BYTES} are allowed",
            long.len()
        )),
        text if text.chars().any(char::is_control) => {
            refuse("may not have control characters in it")
        }
        _ => Ok(()),
    }
}
