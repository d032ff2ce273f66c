//! A job on its way into the store, and the handle of one that is in it.

mod template;

use crate::Error;
use crate::client::Jobs;
use crate::clock::Env;
use crate::contract::Enqueued;
#[cfg(doc)]
use crate::contract::{LABEL_LIMIT, LABEL_LIMIT_BYTES};
use crate::core::{
    JobId, JobSpec, MAX_KEY_BYTES, Millis, NewJob, OnConflict, Payload, Priority, RunId, Timestamp,
    Visible, Window,
};
use crate::definition::Job;
use crate::durable::Durable;
use crate::outbox::{Alone, Anywhere};
use crate::private::IntoTimestamp;
use crate::registry::JobDef;
use crate::steps::Given;
use crate::storing::Enqueuing;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// A job that is about to be enqueued: what calling a `#[job]` function gives.
///
/// ```
/// use jobs_runtime::prelude::*;
///
/// #[job(idempotency = "request-example:{input}")]
/// async fn request_example(input: u64) -> Result<u64> {
///     Ok(step!("double", async { Ok::<_, Failure>(input * 2) }).await?)
/// }
///
/// # async fn enqueue(jobs: &Jobs) -> Result<()> {
/// let handle = request_example(7).delay(std::time::Duration::from_secs(60)).enqueue(jobs).await?;
/// println!("{} will run in a minute", handle.id());
/// # Ok(()) }
/// ```
#[must_use = "a request does nothing until it is enqueued: add `.enqueue(&jobs).await`"]
pub struct Request<J: Job, O: 'static = Anywhere> {
    input: J::Input,
    visible: Visible,
    priority: Option<Priority>,
    tenant: Option<String>,
    queue: Option<String>,
    attempts: Option<u32>,
    on_conflict: Option<OnConflict>,
    unique_for: Option<Millis>,
    window: Option<Window>,
    expires: Option<Millis>,
    run_id: Option<RunId>,
    labels: BTreeMap<String, String>,
    outbox: PhantomData<fn() -> O>,
}

impl<J: Job> Request<J> {
    /// A request for this input, with everything else as the definition says.
    pub fn new(input: J::Input) -> Self {
        Request {
            input,
            visible: Visible::Now,
            priority: None,
            tenant: None,
            queue: None,
            attempts: None,
            on_conflict: None,
            unique_for: None,
            window: None,
            expires: None,
            run_id: None,
            labels: BTreeMap::new(),
            outbox: PhantomData,
        }
    }
}

impl<J: Job, O: 'static> Request<J, O> {
    /// The same request with another mark.
    pub(crate) fn marked<M>(self) -> Request<J, M> {
        Request {
            input: self.input,
            visible: self.visible,
            priority: self.priority,
            tenant: self.tenant,
            queue: self.queue,
            attempts: self.attempts,
            on_conflict: self.on_conflict,
            unique_for: self.unique_for,
            window: self.window,
            expires: self.expires,
            run_id: self.run_id,
            labels: self.labels,
            outbox: PhantomData,
        }
    }

    /// Not before so much time has passed.
    pub fn delay(mut self, span: Duration) -> Self {
        self.visible = Visible::After(span.into());
        self
    }

    /// Not before this instant, by the store's clock: a `jiff::Timestamp`, a `jiff::Zoned`, a
    /// `std::time::SystemTime` or a [`crate::Timestamp`].
    pub fn at(mut self, at: impl IntoTimestamp) -> Self {
        self.visible = Visible::At(at.into_timestamp());
        self
    }

    /// From 0, served first, to 9.
    pub fn priority(mut self, level: u8) -> Self {
        self.priority = Some(Priority::new(level));
        self
    }

    /// Whose job it is.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// Another queue than the definition's.
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = Some(queue.into());
        self
    }

    /// Another number of tries than the definition's, at least 1.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = Some(attempts.max(1));
        self
    }

    /// What to do when a live job holds the key; otherwise as the definition says.
    pub fn on_conflict(mut self, policy: OnConflict) -> Self {
        self.on_conflict = Some(policy);
        self
    }

    /// Keeps the key for so long from now on, also when the job has ended before.
    pub fn unique_for(mut self, span: Duration) -> Self {
        self.unique_for = Some(span.into());
        self
    }

    /// Waits until the key was not enqueued for so long, and runs the last input then; in place of
    /// what the definition says. See [`Window`] for its other edges, and for the longest that it
    /// waits.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[job(idempotency = "debounced-index:{input}")]
    /// async fn debounced_index(input: u64) -> Result<()> {
    ///     step!("index", async { Ok::<_, Failure>(()) }).await?;
    ///     Ok(())
    /// }
    ///
    /// # async fn enqueue(jobs: &Jobs) -> Result<()> {
    /// for _ in 0..100 {
    ///     // One run, ten seconds after the last of them.
    ///     debounced_index(7).debounce(Duration::from_secs(10)).enqueue(jobs).await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn debounce(self, span: Duration) -> Self {
        self.window(Window::debounce(span.into()))
    }

    /// Runs at once, unless a run of the key began less than so long ago: then when that time is
    /// over, with the last input there was. In place of what the definition says.
    pub fn throttle(self, span: Duration) -> Self {
        self.window(Window::throttle(span.into()))
    }

    /// Makes few runs of enqueues of the key that come close together. It goes before
    /// `on_conflict`, and says nothing of a job without a key.
    pub fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    /// It fails if it was not started within so much time of being stored, by the store's clock.
    pub fn expires(mut self, span: Duration) -> Self {
        self.expires = Some(span.into());
        self
    }

    /// A word to find it by, for people. At most [`LABEL_LIMIT`] of them, each of at most
    /// [`LABEL_LIMIT_BYTES`]; they are stored as they are, whatever the codec.
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }

    /// Goes on with the history of an old run.
    pub fn run_id(mut self, run: RunId) -> Self {
        self.run_id = Some(run);
        self
    }

    /// Stores the job. If a live job holds the key, the handle is that job's. A job that says
    /// `outbox = required` has [`Request::enqueue_in`] instead.
    ///
    /// # Errors
    /// `X_IDEMPOTENCY_REQUIRED` for an empty key, `X_PAYLOAD_TOO_LARGE`, `X_JOB_DUPLICATE` under
    /// `OnConflict::Error`; `X_DRIVER_UNAVAILABLE` if it was not stored, and
    /// `X_OUTCOME_UNKNOWN` if it may have been.
    pub fn enqueue(self, jobs: &Jobs) -> Enqueuing<'_, J>
    where
        O: Alone,
    {
        Enqueuing::new(async move {
            let env = &jobs.store().env;
            let row = self.into_row(env, env.clock.now())?;
            let row = jobs.store().sealed(row)?;
            Ok(Handle::new(jobs.enqueue_row(row).await?))
        })
    }

    /// What the request says for itself.
    pub(crate) fn given(&self) -> Given {
        Given {
            queue: self.queue.is_some(),
            priority: self.priority.is_some(),
            tenant: self.tenant.is_some(),
            labels: !self.labels.is_empty(),
        }
    }

    /// The row, its input still to be sealed; `now` goes into its ids.
    pub(crate) fn into_row(self, env: &Env, now: Timestamp) -> Result<NewJob, Error> {
        let def = J::def();
        let key = J::key(&self.input);
        check_key(def, key.as_deref())?;
        let limit_key = J::limit_key(&self.input);
        let input = Payload::json(self.input.encode()?);
        let tenant = self.tenant.or_else(|| J::tenant(&self.input));
        let spec = JobSpec {
            id: JobId::new(now, env.entropy.bits()),
            run_id: self
                .run_id
                .unwrap_or_else(|| RunId::new(now, env.entropy.bits())),
            name: def.name.into(),
            scope: def.scope().into(),
            queue: self.queue.unwrap_or_else(|| def.options.queue.into()),
            key,
            input,
            priority: self.priority.unwrap_or(def.options.priority),
            tenant,
            visibility_timeout: def.options.visibility_timeout,
            expires_at: None,
            limit_key,
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: None,
            labels: self.labels,
            version: 0,
            fork_of: None,
            continued_from: None,
            chain: None,
            on_cancel: def.options.on_cancel.map(|job| job().clean_up()),
        };
        Ok(NewJob {
            spec,
            visible: self.visible,
            attempts_max: self.attempts.unwrap_or(def.options.attempts),
            on_conflict: self.on_conflict.unwrap_or(def.options.on_conflict),
            unique_for: self.unique_for.or(def.options.unique_for),
            window: self.window.or(def.options.window),
            expires: self.expires.or(def.options.expires),
            prefix: Vec::new(),
        })
    }
}

fn check_key(def: &JobDef, key: Option<&str>) -> Result<(), Error> {
    match key {
        Some("") => Err(Error::idempotency_required(def.name)),
        Some(key) if key.len() > MAX_KEY_BYTES => {
            let what = format!("the idempotency key of job \"{}\"", def.name);
            Err(Error::payload_too_large(what, key.len(), MAX_KEY_BYTES))
        }
        _ => Ok(()),
    }
}

/// A job that is in the store.
pub struct Handle<J> {
    enqueued: Enqueued,
    job: PhantomData<fn() -> J>,
}

impl<J> Handle<J> {
    pub(crate) fn new(enqueued: Enqueued) -> Self {
        Handle {
            enqueued,
            job: PhantomData,
        }
    }

    /// A handle of a job whose id is known from elsewhere.
    #[must_use]
    pub fn of(id: JobId, run_id: RunId) -> Self {
        let enqueued = Enqueued {
            id,
            run_id,
            deduped: false,
            input_differs: false,
        };
        Handle::new(enqueued)
    }

    /// Reads back what a run was told of a detached child.
    pub(crate) fn stored(bytes: &[u8]) -> Result<Self, String> {
        let enqueued = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        Ok(Handle::new(enqueued))
    }

    /// The job's id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.enqueued.id
    }

    /// The run that owns its steps.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        self.enqueued.run_id
    }

    /// A live job held the key, and this is it.
    #[must_use]
    pub fn deduped(&self) -> bool {
        self.enqueued.deduped
    }

    /// That live job has another input than the one asked for.
    #[must_use]
    pub fn input_differs(&self) -> bool {
        self.enqueued.input_differs
    }
}

impl<J> Clone for Handle<J> {
    fn clone(&self) -> Self {
        Handle {
            enqueued: self.enqueued,
            job: PhantomData,
        }
    }
}

impl<J> fmt::Debug for Handle<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.enqueued).finish()
    }
}
