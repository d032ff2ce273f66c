//! Schedules, for people: when they fire, what they passed over, and what keeps them from firing.

use super::row::Series;
use super::stored::{key_of, name_in, read};
use super::{Calendar, JobTemplate, Keeper};
use crate::Error;
use crate::core::{Made, Plan, Skipped, Timestamp, Timetable};
use crate::registry::JobDef;

/// Ticks of each schedule that are told.
const TOLD_TICKS: usize = 5;

/// A schedule, as it stands: a task's, or one that was made at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleView {
    /// Its name. That of a task is its durable name; the oldest one if this program does not
    /// define it.
    pub name: String,
    /// The plan in place. That of a task may be another version's, while two run side by side.
    pub plan: Plan,
    /// The plan of this program, if it is a task. A task that no program defines any more does not
    /// fire.
    pub defined: Option<Plan>,
    /// What it enqueues, if it was made at run time.
    pub job: Option<JobTemplate>,
    /// Somebody stopped it.
    pub is_paused: bool,
    /// The next five ticks; none if it is paused, or a task that no worker has seen yet. Those that
    /// are due and not made yet are among them.
    pub next: Vec<Timestamp>,
    /// The last tick that was made, and its job.
    pub last: Option<Made>,
    /// Ticks that were passed over, the newest last.
    pub skipped: Vec<Skipped>,
    /// Why this program makes no ticks of it, though it is not paused. Another one may.
    pub trouble: Option<String>,
}

impl Keeper<'_> {
    /// Every schedule, by name.
    pub(crate) async fn list(&self) -> Result<Vec<ScheduleView>, Error> {
        let stored = self.store.settings(Timetable::PREFIX).await?;
        let mut views = Vec::with_capacity(stored.len());
        for setting in &stored {
            views.push(self.view(name_in(setting), &read(setting)?));
        }
        for def in self.registry.defs() {
            let is_new = stored.iter().all(|setting| setting.key != key_of(def));
            if let Some(task) = def.options.task.filter(|_| is_new) {
                views.push(unseen(def, task.plan()));
            }
        }
        views.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(views)
    }

    /// One schedule by its name, or by a former name of its task.
    pub(crate) async fn show(&self, name: &str) -> Result<ScheduleView, Error> {
        let def = self.task(name);
        let scope = def.map_or(name, |def| def.scope());
        match self.stored(scope).await? {
            Some(setting) => Ok(self.view(scope, &read(&setting)?)),
            None => match def.and_then(|def| Some((def, def.options.task?))) {
                Some((def, task)) => Ok(unseen(def, task.plan())),
                None => Err(self.unknown(name).await),
            },
        }
    }

    pub(super) fn view(&self, scope: &str, table: &Timetable) -> ScheduleView {
        let def = self.task(scope).filter(|def| def.scope() == scope);
        let defined = def.and_then(|def| Some(def.options.task?.plan()));
        let trouble = self.trouble(scope, table, defined.is_some());
        let fires = table.job.is_some() || defined.is_some();
        let first = table.next.filter(|_| !table.paused && fires);
        let next = match Calendar::new(&table.plan) {
            Ok(calendar) => std::iter::successors(first, |at| calendar.next(*at))
                .take(TOLD_TICKS)
                .collect(),
            Err(_) => first.into_iter().collect(),
        };
        // One whose input cannot be opened here is told without it; the trouble says why.
        let job = table.job.as_ref().map(|job| {
            JobTemplate::of(job, self.store).unwrap_or_else(|_| JobTemplate::new(&job.name, ""))
        });
        ScheduleView {
            name: match (def, &table.job) {
                (Some(def), None) => def.name.into(),
                _ => scope.into(),
            },
            plan: table.plan.clone(),
            defined,
            job,
            is_paused: table.paused,
            next,
            last: table.last,
            skipped: table.skipped.clone(),
            trouble,
        }
    }

    fn trouble(&self, name: &str, table: &Timetable, is_task: bool) -> Option<String> {
        if let Err(why) = Calendar::new(&table.plan) {
            return Some(why);
        }
        match &table.job {
            None if is_task => None,
            None => Some("it is a task that this program does not define".into()),
            Some(_) if is_task => Some(Error::schedule_taken(name).to_string()),
            Some(job) => Series::of_template(name, job, self.registry, self.store)
                .err()
                .map(|error| error.to_string()),
        }
    }
}

/// A task that no worker has looked at yet.
fn unseen(def: &JobDef, plan: Plan) -> ScheduleView {
    ScheduleView {
        name: def.name.into(),
        defined: Some(plan.clone()),
        plan,
        job: None,
        is_paused: false,
        next: Vec::new(),
        last: None,
        skipped: Vec::new(),
        trouble: None,
    }
}
