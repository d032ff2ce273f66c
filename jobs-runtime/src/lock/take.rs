//! Takes the lock of the program that runs, from the definitions that the linker gathered.

use super::model::{EventLock, JobLock, Lock, StepLock, TypeLock};
use super::write::NOT_KNOWN;
use super::{Place, fields};
use crate::Error;
use crate::core::{Backoff, Limit, Missed, OnConflict, Overlap, Priority, RecordKind, WindowKind};
use crate::registry::{EventDef, JobDef, JobOptions, ListedStep, Registry, StepType, TypeDef};
use std::collections::BTreeMap;

/// Whether a definition is this crate's own: those with which it is tried and measured are in every
/// program that is built with the features `torture` and `bench`, and in no program's store.
fn is_trial(krate: &str, file: &str) -> bool {
    let ours = ["src/torture/", "src/bench/"];
    krate == env!("CARGO_PKG_NAME") && ours.iter().any(|folder| file.contains(folder))
}

impl Lock {
    /// What the jobs and events that are linked into this program look like.
    ///
    /// # Errors
    /// `X_JOB_DUPLICATE` if two definitions claim one name.
    pub fn of_program() -> Result<Self, Error> {
        let registry = Registry::linked()?;
        let mut lock = Lock::default();
        let jobs = registry.defs().filter(|def| !is_trial(def.krate, def.file));
        for def in jobs {
            lock.add_job(def);
        }
        let events = crate::private::EVENTS_V0.iter();
        for def in events.filter(|def| !is_trial(def.krate, def.file)) {
            lock.add_event(def);
        }
        Ok(lock)
    }

    pub(super) fn add_job(&mut self, def: &JobDef) {
        let steps = def.listed_steps();
        let job = JobLock {
            krate: def.krate.to_owned(),
            was: owned(def.was),
            key: def.key.map(str::to_owned),
            tenant: def.tenant.map(str::to_owned),
            input: self.add_type(&def.input),
            output: self.add_type(&def.output),
            removed: owned(def.options.removed),
            options: options(&def.options),
            steps: steps
                .iter()
                .map(|step| (step.name.clone(), self.step_lock(step)))
                .collect(),
            place: Some(Place::new(def.file, def.line)),
        };
        self.jobs.insert(def.name.to_owned(), job);
    }

    fn add_event(&mut self, def: &EventDef) {
        let event = EventLock {
            krate: def.krate.to_owned(),
            was: owned(def.was),
            key: (def.key_type)().map(str::to_owned),
            ttl: def.ttl.map(|ttl| ttl.to_string()),
            payload: self.add_type(&def.payload),
            place: Some(Place::new(def.file, def.line)),
        };
        self.events.insert(def.name.to_owned(), event);
    }

    fn step_lock(&mut self, step: &ListedStep) -> StepLock {
        let def = step.def;
        let (output, event) = match (&step.ty, def.kind) {
            (StepType::Event(name), _) => (None, Some((*name).to_owned())),
            (StepType::Output(ty), _) => (Some(self.add_type(ty)), None),
            (_, RecordKind::Sleep) | (StepType::Nothing, _) => (None, None),
            (StepType::NotKnown, RecordKind::Event) => (None, Some(NOT_KNOWN.to_owned())),
            (StepType::NotKnown, _) => (Some(NOT_KNOWN.to_owned()), None),
        };
        StepLock {
            kind: def.kind.as_str().to_owned(),
            was: step.was.clone(),
            output,
            event,
            at_most_once: def.at_most_once,
            tx: def.tx,
            place: Some(Place::new(step.file, def.line)),
        }
    }

    fn add_type(&mut self, def: &TypeDef) -> String {
        let name = (def.name)().to_owned();
        let fields = def.schema.map(|schema| fields::of_schema(&schema()));
        self.types.insert(name.clone(), TypeLock { fields });
        name
    }
}

/// What a definition says otherwise than all say without it.
fn options(options: &JobOptions) -> BTreeMap<String, String> {
    let default = JobOptions::DEFAULT;
    let mut all = BTreeMap::new();
    let mut add = |name: &str, differs: bool, value: String| {
        if differs {
            all.insert(name.to_owned(), value);
        }
    };
    add(
        "queue",
        options.queue != default.queue,
        options.queue.into(),
    );
    add(
        "attempts",
        options.attempts != default.attempts,
        options.attempts.to_string(),
    );
    add(
        "backoff",
        options.backoff != Backoff::DEFAULT,
        options.backoff.to_string(),
    );
    add(
        "priority",
        options.priority != Priority::DEFAULT,
        options.priority.level().to_string(),
    );
    let conflict = match options.on_conflict {
        OnConflict::Dedupe => "dedupe",
        OnConflict::Error => "error",
        OnConflict::Replace => "replace",
    };
    add(
        "on_conflict",
        options.on_conflict != default.on_conflict,
        conflict.to_owned(),
    );
    add("outbox", options.outbox, "required".to_owned());
    let allowed = [
        ("raw_await", options.raw_await),
        ("unstable_values", options.unstable_values),
    ];
    let allowed: Vec<&str> = allowed
        .into_iter()
        .filter_map(|(name, is)| is.then_some(name))
        .collect();
    add("allow", !allowed.is_empty(), allowed.join(", "));
    if let Some(clean_up) = options.on_cancel {
        add("on_cancel", true, clean_up().name.to_owned());
    }
    if let Some(task) = options.task {
        add("schedule", true, task.schedule.to_owned());
        add("tz", task.zone != "UTC", task.zone.to_owned());
        let missed = match task.missed {
            Missed::All => "all",
            Missed::Last => "last",
            Missed::Skip => "skip",
        };
        add(
            "missed",
            task.missed != Missed::default(),
            missed.to_owned(),
        );
        add("overlap", task.overlap == Overlap::Skip, "skip".to_owned());
    }
    for (name, span) in [
        ("timeout", options.timeout),
        ("visibility_timeout", options.visibility_timeout),
        ("step_timeout", options.step_timeout),
        ("unique_for", options.unique_for),
        ("expires", options.expires),
    ] {
        if let Some(span) = span {
            add(name, true, span.to_string());
        }
    }
    if let Some(limit) = options.limit {
        add("limit", true, limit_text(limit));
    }
    if let Some(window) = options.window {
        let name = match window.kind {
            WindowKind::Debounce => "debounce",
            WindowKind::Throttle => "throttle",
        };
        add(name, true, window.to_string());
    }
    all
}

fn limit_text(limit: Limit) -> String {
    let most = limit
        .concurrency
        .map(|most| format!("concurrency = {most}"));
    let rate = limit.rate.map(|rate| format!("rate = {rate}"));
    most.into_iter().chain(rate).collect::<Vec<_>>().join(", ")
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
