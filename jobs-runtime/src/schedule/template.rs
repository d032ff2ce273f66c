//! The job of a schedule as people give and see it: with its input as JSON.

use crate::Error;
use crate::core::{Priority, Template};
use crate::definition::Job;
use crate::outbox::Alone;
use crate::request::Request;
use crate::store::Store;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a schedule enqueues at each tick, with the job by its durable name: for programs, and
/// people at a terminal, that know no type of it. Where the type is known, a
/// [`Request`](crate::Request) says the same.
///
/// What is `None` follows the definition of the job, as that is at the tick.
///
/// ```
/// use jobs_runtime::JobTemplate;
///
/// let mut report = JobTemplate::new("send-report", r#"{"region":"eu"}"#);
/// report.queue = Some("slow".into());
/// report.labels.insert("customer".into(), "acme".into());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobTemplate {
    /// The durable name of the job.
    pub name: String,
    /// What it works on, as JSON.
    pub input: String,
    /// Another queue than the definition's.
    pub queue: Option<String>,
    /// Whose job it is.
    pub tenant: Option<String>,
    /// From 0, served first, to 9.
    pub priority: Option<u8>,
    /// Another number of tries than the definition's, at least 1.
    pub attempts: Option<u32>,
    /// How long after its tick it may still be started.
    pub expires: Option<Duration>,
    /// Words to find it by.
    pub labels: BTreeMap<String, String>,
}

impl JobTemplate {
    /// A job by its durable name, on this JSON.
    #[must_use]
    pub fn new(name: impl Into<String>, input: impl Into<String>) -> Self {
        JobTemplate {
            name: name.into(),
            input: input.into(),
            queue: None,
            tenant: None,
            priority: None,
            attempts: None,
            expires: None,
            labels: BTreeMap::new(),
        }
    }

    /// As it is stored.
    pub(in crate::schedule) fn stored(&self, store: &Store) -> Result<Template, Error> {
        Ok(Template {
            name: self.name.clone(),
            input: store.payload(self.input.clone().into_bytes())?,
            queue: self.queue.clone(),
            tenant: self.tenant.clone(),
            priority: self.priority.map(Priority::new),
            attempts: self.attempts.map(|attempts| attempts.max(1)),
            expires: self.expires.map(Into::into),
            labels: self.labels.clone(),
        })
    }

    /// As people see it.
    ///
    /// # Errors
    /// If the input was written by a codec, or under a key, that is not known here.
    pub(super) fn of(template: &Template, store: &Store) -> Result<Self, Error> {
        let input = store.codecs.decode(&template.input)?;
        Ok(JobTemplate {
            name: template.name.clone(),
            input: String::from_utf8_lossy(&input).into_owned(),
            queue: template.queue.clone(),
            tenant: template.tenant.clone(),
            priority: template.priority.map(Priority::level),
            attempts: template.attempts,
            expires: template.expires.map(Into::into),
            labels: template.labels.clone(),
        })
    }
}

/// What a schedule can enqueue: a request for a job, or a [`JobTemplate`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put on a schedule",
    label = "expected a request for a job, or a `JobTemplate`",
    note = "call the job as for an enqueue, and leave `.enqueue(..)` away; one that says `outbox = required` needs `.without_outbox()` before it"
)]
pub trait Schedulable {
    /// What the schedule of this name enqueues.
    #[doc(hidden)]
    fn for_schedule(self, schedule: &str) -> Result<Wanted, Error>;
}

/// What is to be enqueued.
#[doc(hidden)]
#[derive(Debug)]
pub struct Wanted {
    pub(super) job: JobTemplate,
    /// Somebody made sure that it may be enqueued outside of a transaction.
    pub(super) alone: bool,
}

impl Schedulable for JobTemplate {
    fn for_schedule(self, _schedule: &str) -> Result<Wanted, Error> {
        let (job, alone) = (self, false);
        Ok(Wanted { job, alone })
    }
}

impl<J: Job, O: Alone + 'static> Schedulable for Request<J, O> {
    fn for_schedule(self, schedule: &str) -> Result<Wanted, Error> {
        let (job, alone) = (self.into_template(schedule)?, true);
        Ok(Wanted { job, alone })
    }
}
