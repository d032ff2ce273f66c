//! Every `#[job]` and event of the program, as the linker gathered them.

mod asked;
mod shape;
mod types;

pub use asked::{Asks, Said};
pub use shape::{ListedStep, TypeDef};
pub use types::{Call, Entered, StepType, Told, describe};

use crate::core::{
    Backoff, CleanUp, Limit, Millis, Missed, OnConflict, Overlap, Priority, RecordKind, Window,
};
use crate::{Error, Failure};
use std::any::TypeId;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

/// Runs a job's body: decodes the input, polls, encodes the output. Or lets it describe itself.
pub type RunFn =
    for<'a> fn(Call<'a>) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send + 'a>>;

/// The definition of a job, as `#[job]` wrote it down.
#[derive(Debug)]
pub struct JobDef {
    /// The durable name.
    pub name: &'static str,
    /// Former names; the last is the oldest.
    pub was: &'static [&'static str],
    /// The crate that defines it.
    pub krate: &'static str,
    /// That crate's version.
    pub version: &'static str,
    /// The file that defines it.
    pub file: &'static str,
    /// The line in it.
    pub line: u32,
    /// What the attribute says.
    pub options: JobOptions,
    /// Its idempotency key as it was written: a template or a closure over the input. `None` for
    /// `idempotency = none`.
    pub key: Option<&'static str>,
    /// Whose job it is, as a template over the input.
    pub tenant: Option<&'static str>,
    /// What it works on.
    pub input: TypeDef,
    /// What it gives.
    pub output: TypeDef,
    /// The states it asks for.
    pub needs: &'static [fn() -> Option<Need>],
    /// Its steps, in order of their lines.
    pub steps: &'static [StepDef],
    /// The body.
    pub run: RunFn,
}

/// The options of a definition.
#[derive(Clone, Copy, Debug)]
pub struct JobOptions {
    /// The queue it waits in.
    pub queue: &'static str,
    /// How many tries it has.
    pub attempts: u32,
    /// The delay between two tries.
    pub backoff: Backoff,
    /// How long one lease may run.
    pub timeout: Option<Millis>,
    /// How long a lease hides it without a heartbeat.
    pub visibility_timeout: Option<Millis>,
    /// Who is served first.
    pub priority: Priority,
    /// How long a step may take that does not say.
    pub step_timeout: Option<Millis>,
    /// The body has awaits outside its steps.
    pub raw_await: bool,
    /// The body reads clocks, random numbers or the environment outside its steps.
    pub unstable_values: bool,
    /// Steps that were given up on purpose.
    pub removed: &'static [&'static str],
    /// It has an idempotency key.
    pub keyed: bool,
    /// It is enqueued inside a transaction of the caller's, or not at all.
    pub outbox: bool,
    /// What to do when a live job holds the key.
    pub on_conflict: OnConflict,
    /// How long the key is kept, whatever becomes of the job.
    pub unique_for: Option<Millis>,
    /// Makes few runs of enqueues that come close together.
    pub window: Option<Window>,
    /// It fails if it was not started within so much time of its enqueue.
    pub expires: Option<Millis>,
    /// What cleans up after it, if it is cancelled.
    pub on_cancel: Option<fn() -> &'static JobDef>,
    /// When it fires, if it is a task.
    pub task: Option<TaskDef>,
    /// What its jobs are held to, for each limit key.
    pub limit: Option<Limit>,
}

/// The schedule of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskDef {
    /// A cron expression, or `every 15m`.
    pub schedule: &'static str,
    /// The IANA name of the zone whose clock it reads.
    pub zone: &'static str,
    /// What becomes of missed ticks.
    pub missed: Missed,
    /// What becomes of a tick that meets the one before.
    pub overlap: Overlap,
}

impl JobOptions {
    /// What holds where the attribute says nothing.
    pub const DEFAULT: JobOptions = JobOptions {
        queue: DEFAULT_QUEUE,
        attempts: 5,
        backoff: Backoff::DEFAULT,
        timeout: None,
        visibility_timeout: None,
        priority: Priority::DEFAULT,
        step_timeout: None,
        raw_await: false,
        unstable_values: false,
        removed: &[],
        keyed: true,
        outbox: false,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        on_cancel: None,
        task: None,
        limit: None,
    };
}

/// The queue of a job that names none.
pub const DEFAULT_QUEUE: &str = "default";

/// One step of a definition.
#[derive(Clone, Copy, Debug)]
pub struct StepDef {
    /// The name, with its placeholders.
    pub name: &'static str,
    /// What kind of step it is.
    pub kind: RecordKind,
    /// The line.
    pub line: u32,
    /// It stands in a loop or a closure.
    pub in_loop: bool,
    /// Former names, the newest first.
    pub was: &'static [&'static str],
    /// Its body runs at most once.
    pub at_most_once: bool,
    /// Its body writes in a transaction of the store.
    pub tx: bool,
    /// The event it waits for, or the request for the child it makes, as it was written.
    pub subject: &'static str,
    /// The helper it calls; the names of that one's steps follow its own and a `/`.
    pub helper: Option<fn() -> HelperDef>,
}

/// The definition of a `#[steps]` function.
#[derive(Clone, Copy, Debug)]
pub struct HelperDef {
    /// The file that defines it, in which the lines of its steps are.
    pub file: &'static str,
    /// Its steps, in order of their lines.
    pub steps: &'static [StepDef],
    /// It has awaits outside its steps.
    pub raw_await: bool,
    /// It reads clocks, random numbers or the environment outside its steps.
    pub unstable_values: bool,
    /// What its steps store, one for each.
    pub types: fn() -> Vec<StepType>,
}

impl HelperDef {
    /// What holds where the helper says nothing.
    pub const DEFAULT: HelperDef = HelperDef {
        file: "",
        steps: &[],
        raw_await: false,
        unstable_values: false,
        types: Vec::new,
    };
}

impl StepDef {
    /// A step that says no more than this.
    #[must_use]
    pub const fn new(name: &'static str, kind: RecordKind, line: u32, in_loop: bool) -> StepDef {
        StepDef {
            name,
            kind,
            line,
            in_loop,
            ..StepDef::DEFAULT
        }
    }

    /// What holds where the step says nothing.
    pub const DEFAULT: StepDef = StepDef {
        name: "",
        kind: RecordKind::Step,
        line: 0,
        in_loop: false,
        was: &[],
        at_most_once: false,
        tx: false,
        subject: "",
        helper: None,
    };
}

/// A state that a job asks for.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Which type.
    pub type_id: TypeId,
    /// Its name.
    pub type_name: &'static str,
}

/// The definition of an event.
#[derive(Debug)]
pub struct EventDef {
    /// The durable name.
    pub name: &'static str,
    /// Former names; the last is the oldest.
    pub was: &'static [&'static str],
    /// The crate that defines it.
    pub krate: &'static str,
    /// That crate's version.
    pub version: &'static str,
    /// The file that defines it.
    pub file: &'static str,
    /// The line in it.
    pub line: u32,
    /// What it says.
    pub payload: TypeDef,
    /// The name of its key's type; `None` for `key = none`.
    pub key_type: fn() -> Option<&'static str>,
    /// How long a published one can be taken; `None` is the default.
    pub ttl: Option<Millis>,
}

impl JobDef {
    /// The oldest durable name: the scope of its keys.
    #[must_use]
    pub fn scope(&self) -> &'static str {
        self.was.last().copied().unwrap_or(self.name)
    }

    /// The job as what cleans up after another.
    pub(crate) fn clean_up(&self) -> CleanUp {
        CleanUp {
            name: self.name.into(),
            scope: self.scope().into(),
            queue: self.options.queue.into(),
            priority: self.options.priority,
            attempts_max: self.options.attempts,
            visibility_timeout: self.options.visibility_timeout,
        }
    }

    /// Every step that is recorded, with its whole name: those of helpers as `billing/charge`.
    #[must_use]
    pub fn all_steps(&self) -> Vec<(String, &'static StepDef)> {
        let mut all = Vec::new();
        add_steps("", self.steps, &mut all);
        all
    }

    /// Whether the body, or a helper it calls, has awaits outside its steps.
    pub(crate) fn awaits_outside_steps(&self) -> bool {
        self.options.raw_await || self.steps.iter().any(calls_raw_helper)
    }

    fn place(&self) -> String {
        place(self.krate, self.version, self.file, self.line)
    }
}

fn calls_raw_helper(step: &StepDef) -> bool {
    step.helper.is_some_and(|helper| {
        let helper = helper();
        helper.raw_await || helper.steps.iter().any(calls_raw_helper)
    })
}

/// Ends because a helper cannot hold itself: an async function that did would have no size.
fn add_steps(prefix: &str, steps: &'static [StepDef], all: &mut Vec<(String, &'static StepDef)>) {
    for step in steps {
        let name = format!("{prefix}{}", step.name);
        match step.helper {
            Some(helper) => add_steps(&format!("{name}/"), helper().steps, all),
            None => all.push((name, step)),
        }
    }
}

impl EventDef {
    fn place(&self) -> String {
        place(self.krate, self.version, self.file, self.line)
    }
}

/// Where a definition stands: two that are equal are one, linked twice.
fn place(krate: &str, version: &str, file: &str, line: u32) -> String {
    format!("{krate} {version} at {file}:{line}")
}

/// Whether a definition of this name, now or formerly, says `outbox = required`.
pub(crate) fn wants_outbox(name: &str) -> bool {
    crate::private::JOBS_V0
        .iter()
        .filter(|def| def.options.outbox)
        .any(|def| def.name == name || def.was.contains(&name))
}

/// The definitions by every name they answer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry {
    by_name: BTreeMap<&'static str, &'static JobDef>,
}

impl Registry {
    /// All linked definitions.
    ///
    /// # Errors
    /// `X_JOB_DUPLICATE` if two jobs, or two events, claim one name.
    pub(crate) fn linked() -> Result<Arc<Self>, Error> {
        // What the linker gathered stays as it is.
        static LINKED: OnceLock<Result<Arc<Registry>, Error>> = OnceLock::new();
        LINKED
            .get_or_init(|| {
                Registry::check_events()?;
                Registry::of(crate::private::JOBS_V0.iter()).map(Arc::new)
            })
            .clone()
    }

    /// Checks that no two events claim one name, now or formerly.
    ///
    /// # Errors
    /// `X_JOB_DUPLICATE` naming both.
    fn check_events() -> Result<(), Error> {
        let mut by_name: BTreeMap<&'static str, &'static EventDef> = BTreeMap::new();
        for def in crate::private::EVENTS_V0.iter() {
            for name in std::iter::once(&def.name).chain(def.was) {
                match by_name.insert(name, def) {
                    Some(first) if first.place() != def.place() => {
                        return Err(Error::name_taken(name, &first.place(), &def.place()));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    pub(crate) fn of(defs: impl IntoIterator<Item = &'static JobDef>) -> Result<Self, Error> {
        let mut by_name: BTreeMap<&'static str, &'static JobDef> = BTreeMap::new();
        for def in defs {
            for name in std::iter::once(&def.name).chain(def.was) {
                match by_name.insert(name, def) {
                    // One definition linked twice: a crate under test, and again as a dependency.
                    Some(first) if first.place() == def.place() => {}
                    Some(first) => {
                        return Err(Error::name_taken(name, &first.place(), &def.place()));
                    }
                    None => {}
                }
            }
        }
        Ok(Registry { by_name })
    }

    pub(crate) fn find(&self, name: &str) -> Option<&'static JobDef> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }

    /// Each definition once.
    pub(crate) fn defs(&self) -> impl Iterator<Item = &'static JobDef> {
        self.by_name
            .iter()
            .filter(|(name, def)| **name == def.name)
            .map(|(_, def)| *def)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn def(name: &'static str, was: &'static [&'static str], line: u32) -> &'static JobDef {
        Box::leak(Box::new(JobDef {
            name,
            was,
            krate: "shop",
            version: "1.0.0",
            file: "src/jobs.rs",
            line,
            options: JobOptions::DEFAULT,
            key: Some("mail:{input}"),
            tenant: None,
            input: TypeDef::of::<()>(),
            output: TypeDef::of::<()>(),
            needs: &[],
            steps: &[],
            run: |_| Box::pin(std::future::ready(Ok(Vec::new()))),
        }))
    }

    #[test]
    fn two_definitions_of_one_name_are_refused_with_both_places() {
        let error = Registry::of([def("mail", &[], 1), def("mail", &[], 9)]).unwrap_err();
        assert_eq!(error.code(), "X_JOB_DUPLICATE");
        let text = error.to_string();
        assert!(
            text.contains("src/jobs.rs:1") && text.contains("src/jobs.rs:9"),
            "{text}"
        );
    }

    #[test]
    fn a_former_name_that_another_job_has_is_refused() {
        let error = Registry::of([def("mail", &[], 1), def("letter", &["mail"], 9)]).unwrap_err();
        assert_eq!(error.code(), "X_JOB_DUPLICATE");
    }

    #[test]
    fn one_definition_linked_twice_is_one() {
        let twice = def("mail", &["post"], 1);
        let registry = Registry::of([twice, twice]).unwrap();
        assert_eq!(registry.defs().count(), 1);
        assert!(registry.find("post").is_some());
        assert_eq!(registry.find("post").unwrap().scope(), "post");
    }
}
