//! Why a job does not run just now: what holds it back, as the store stands at one moment.
//! Whether something ought to be done about it is for whoever reads the answer.

use super::{Admin, nearest};
use crate::Error;
use crate::contract::{JobView, QueueSetting, Standing};
use crate::core::{
    Group, Job, JobId, Lane, NEVER, RecordKind, State, StepRecord, StoredError, Timestamp, View,
};
use crate::registry::Registry;
use std::fmt;

/// Why a job does not run just now. Its `Display` is for people, a line for each reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The job.
    pub job: JobId,
    /// Its durable name.
    pub name: String,
    /// Where it stands.
    pub view: View,
    /// The store's time of this answer.
    pub now: Timestamp,
    /// What holds it back, the nearest first. Without one, it waits for a worker with a free slot
    /// and for its turn.
    pub reasons: Vec<Reason>,
    /// How the groups that it is counted in stand, of those that have a limit.
    pub limits: Vec<Standing>,
}

/// One thing that holds a job back.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// It has ended.
    Ended {
        /// How.
        state: State,
        /// When.
        at: Option<Timestamp>,
        /// The error that ended it.
        error: Option<StoredError>,
    },
    /// A worker holds it.
    Leased {
        /// Which.
        worker: Option<String>,
        /// Unless the worker is heard of, until then.
        until: Option<Timestamp>,
    },
    /// It was told to wait, or failed and is tried again later.
    Delayed {
        /// Until then.
        until: Timestamp,
        /// The failure after which it is tried again.
        error: Option<StoredError>,
    },
    /// It runs when the job that holds its key has ended.
    Follows {
        /// That job.
        holder: Option<JobId>,
    },
    /// A step sleeps, or waits before it is tried again.
    Sleeps {
        /// The step.
        step: String,
        /// Until then.
        until: Timestamp,
    },
    /// A step waits for an event.
    WaitsForEvent {
        /// The step.
        step: String,
        /// Events of these names serve it.
        names: Vec<String>,
        /// What the event must share with the wait; any if `None`.
        key: Option<String>,
        /// When it stops waiting.
        until: Option<Timestamp>,
    },
    /// A step waits for the end of a child.
    WaitsForChild {
        /// The step.
        step: String,
        /// The child.
        child: JobId,
    },
    /// Its journal does not fit the code: it waits for a person.
    Held {
        /// What does not fit.
        error: Option<StoredError>,
    },
    /// Somebody paused its queue.
    QueuePaused {
        /// The queue.
        queue: String,
    },
    /// As many leases are live as a limit allows.
    LimitFull {
        /// Whose limit it is.
        group: Group,
        /// What it allows.
        most: u32,
    },
    /// A rate allows no start yet.
    RateSpent {
        /// Whose rate it is.
        group: Group,
        /// The rate.
        rate: crate::core::Rate,
        /// From then on.
        until: Timestamp,
    },
    /// This program defines no job of this name. Another one may.
    NoHandler {
        /// A job that it does define, and that may be meant.
        near: Option<String>,
    },
}

impl Admin<'_> {
    /// Why a job does not run just now: its queue is paused, a limit is full, it is leased, sleeps,
    /// waits for an event or a child, follows another job, or nothing here handles it.
    ///
    /// ```
    /// # async fn example(jobs: jobs_runtime::Jobs, id: jobs_runtime::JobId) -> Result<(), jobs_runtime::Error> {
    /// println!("{}", jobs.admin().explain(id).await?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `X_JOB_UNKNOWN`; or if the store cannot be read.
    pub async fn explain(&self, id: JobId) -> Result<Explanation, Error> {
        let view = self.show(id).await?.ok_or_else(|| Error::job_unknown(id))?;
        let (spec, head) = (&view.job.spec, &view.job.head);
        let groups = Group::of(&spec.queue, &Lane::of(spec));
        let now = self.store.env.clock.imposed();
        let standings = self.store.inspect().standings(&groups, now).await?;
        let now = standings.now;
        let mut reasons = self.own_reasons(&view, now).await?;
        if head.state.is_live() && head.state != State::Running {
            let starts = head.state == State::Pending;
            reasons.extend(self.paused(&spec.queue).await?);
            reasons.extend(standings.groups.iter().flat_map(|it| held(it, starts, now)));
            reasons.extend(no_handler(&spec.name)?);
        }
        Ok(Explanation {
            job: id,
            name: spec.name.clone(),
            view: head.state.view(head.visible_at, now),
            now,
            reasons,
            limits: standings
                .groups
                .into_iter()
                .filter(|standing| !standing.limit.is_none())
                .collect(),
        })
    }

    /// What the job itself says.
    async fn own_reasons(&self, view: &JobView, now: Timestamp) -> Result<Vec<Reason>, Error> {
        let Job { spec, head, notes } = &view.job;
        Ok(match head.state {
            State::Running => vec![Reason::Leased {
                worker: notes.worker.clone(),
                until: head.visible_at,
            }],
            State::Pending if head.visible_at == Some(NEVER) => {
                let key = spec.key.as_deref().unwrap_or_default();
                let holder = self.store.inspect().key_holder(&spec.scope, key).await?;
                vec![Reason::Follows { holder }]
            }
            State::Pending => {
                let until = head.visible_at.filter(|at| *at > now);
                let delayed = until.map(|until| Reason::Delayed {
                    until,
                    error: notes.error.clone(),
                });
                delayed.into_iter().collect()
            }
            State::Suspended => suspended(view, now),
            state => vec![Reason::Ended {
                state,
                at: head.ended_at,
                error: notes.error.clone(),
            }],
        })
    }

    async fn paused(&self, queue: &str) -> Result<Option<Reason>, Error> {
        let key = QueueSetting::key(queue);
        let settings = self.store.settings(&key).await?;
        let setting = settings.iter().find(|setting| setting.key == key);
        let is_paused = setting.is_some_and(|it| QueueSetting::read(&it.value).paused);
        Ok(is_paused.then(|| Reason::QueuePaused {
            queue: queue.to_owned(),
        }))
    }
}

fn suspended(view: &JobView, now: Timestamp) -> Vec<Reason> {
    // Something woke it: it only waits for a worker.
    if view.job.head.visible_at.is_some_and(|at| at <= now) {
        return Vec::new();
    }
    let pending = view.journal.iter().filter(|it| it.position.is_none());
    let waits: Vec<Reason> = pending.filter_map(wait).collect();
    if waits.is_empty() && view.job.head.visible_at.is_none() {
        return vec![Reason::Held {
            error: view.job.notes.error.clone(),
        }];
    }
    waits
}

fn wait(record: &StepRecord) -> Option<Reason> {
    let step = record.name.clone();
    if let Some(wait) = &record.wait {
        return Some(Reason::WaitsForEvent {
            step,
            names: wait.names.clone(),
            key: wait.key.clone(),
            until: record.wake_at,
        });
    }
    if let Some(child) = record.child {
        return Some(Reason::WaitsForChild { step, child });
    }
    let until = record.wake_at?;
    matches!(record.kind, RecordKind::Sleep | RecordKind::Step)
        .then_some(Reason::Sleeps { step, until })
}

/// What a group's limit holds back, of a job that begins an attempt or goes on with one.
fn held(standing: &Standing, starts: bool, now: Timestamp) -> Vec<Reason> {
    let group = || standing.group.clone();
    let full = standing
        .limit
        .concurrency
        .filter(|most| standing.live >= *most);
    let full = full.map(|most| Reason::LimitFull {
        group: group(),
        most,
    });
    let rate = standing.limit.rate.filter(|_| starts);
    let spent = rate.and_then(|rate| {
        let until = rate.start(standing.pace, now).err()?;
        Some(Reason::RateSpent {
            group: group(),
            rate,
            until,
        })
    });
    full.into_iter().chain(spent).collect()
}

fn no_handler(name: &str) -> Result<Option<Reason>, Error> {
    let registry = Registry::linked()?;
    Ok(match registry.find(name) {
        Some(_) => None,
        None => Some(Reason::NoHandler {
            near: nearest(name, registry.names()).map(str::to_owned),
        }),
    })
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} is {}", self.name, self.job, self.view)?;
        if self.reasons.is_empty() {
            f.write_str("\n  it waits for a worker with a free slot, and for its turn")?;
        }
        for reason in &self.reasons {
            write!(f, "\n  {reason}")?;
        }
        for standing in &self.limits {
            let (limit, live) = (&standing.limit, standing.live);
            write!(f, "\n  {} is held to", standing.group)?;
            if let Some(most) = limit.concurrency {
                write!(f, " {most} at once, of which {live} run")?;
            }
            match (limit.concurrency, limit.rate) {
                (Some(_), Some(rate)) => write!(f, ", and to {rate}")?,
                (None, Some(rate)) => write!(f, " {rate}")?,
                (_, None) => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |at: &Timestamp| instant(*at);
        match self {
            Reason::Ended { state, at, error } => {
                write!(f, "it is {state}")?;
                if let Some(at) = at {
                    write!(f, " since {}", instant(*at))?;
                }
                after(f, error.as_ref())
            }
            Reason::Leased { worker, until } => {
                let worker = worker.as_deref().unwrap_or("a worker");
                write!(f, "{worker} runs it")?;
                match until {
                    Some(until) => write!(f, "; its lease ends at {}", at(until)),
                    None => Ok(()),
                }
            }
            Reason::Delayed { until, error } => {
                write!(f, "it waits until {}", at(until))?;
                after(f, error.as_ref())
            }
            Reason::Follows { holder: Some(job) } => {
                write!(f, "it runs when job {job}, which holds its key, has ended")
            }
            Reason::Follows { holder: None } => {
                f.write_str("it runs when the job that holds its key has ended")
            }
            Reason::Sleeps { step, until } => {
                write!(f, "step \"{step}\" sleeps until {}", at(until))
            }
            Reason::WaitsForEvent {
                step,
                names,
                key,
                until,
            } => {
                let names = names.join("\" or \"");
                write!(f, "step \"{step}\" waits for an event \"{names}\"")?;
                match key {
                    Some(key) => write!(f, " with the key \"{key}\"")?,
                    None => f.write_str(" with any key")?,
                }
                match until {
                    Some(until) => write!(f, ", until {}", at(until)),
                    None => Ok(()),
                }
            }
            Reason::WaitsForChild { step, child } => {
                write!(f, "step \"{step}\" waits for the end of job {child}")
            }
            Reason::Held { error } => {
                f.write_str("it waits for a person: cancel it, or requeue it")?;
                after(f, error.as_ref())
            }
            Reason::QueuePaused { queue } => {
                write!(f, "queue \"{queue}\" is paused; resume it")
            }
            Reason::LimitFull { group, most } => {
                write!(f, "{group} may run {most} at once, and does")
            }
            Reason::RateSpent { group, rate, until } => {
                write!(f, "{group} may start {rate}; the next at {}", at(until))
            }
            Reason::NoHandler { near } => {
                f.write_str("this program defines no job of this name")?;
                match near {
                    Some(near) => write!(f, "; did you mean \"{near}\"?"),
                    None => Ok(()),
                }
            }
        }
    }
}

fn after(f: &mut fmt::Formatter<'_>, error: Option<&StoredError>) -> fmt::Result {
    let Some(StoredError { code, message, .. }) = error else {
        return Ok(());
    };
    match code {
        Some(code) => write!(f, ", after {code}: {message}"),
        None => write!(f, ", after {message}"),
    }
}

/// In the notation of RFC 3339; in milliseconds if it lies outside of all calendars.
fn instant(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(at) => at.to_string(),
        Err(_) => at.to_string(),
    }
}
