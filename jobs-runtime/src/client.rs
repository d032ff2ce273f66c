//! The client: connects, enqueues, publishes, waits for results.

mod chain;
mod wait;

pub(crate) use chain::{following, latest};

use crate::clock::Env;
use crate::codec::Codec;
use crate::contract::{Conflicted, Driver, EnqueueAnswer, Enqueued};
use crate::core::{EventId, Millis, NewEvent, NewJob};
use crate::definition::{Event, Job};
use crate::durable::{EventKey, has_key};
use crate::request::{Handle, Request};
use crate::store::{Store, StoreHook};
use crate::storing::Publishing;
use crate::torture::crash_point;
use crate::worker::Worker;
use crate::{Admin, Error};
use std::sync::Arc;
use std::time::Duration;

/// Tries of one write whose outcome is unknown; ids are made before the first, so it is stored
/// once.
const MAX_WRITE_TRIES: u32 = 4;
/// The pause before the second try, doubling.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// After so long it is not tried again: what came of the first try may have ended and been removed
/// since ([`Retention::at_least`](crate::Retention::at_least)), and another would make it anew.
pub(crate) const RESEND_WITHIN: Duration = Duration::from_secs(20);
/// Jobs that [`Jobs::enqueue_all`] stores in one write; more go in several.
pub const ENQUEUE_LIMIT_JOBS: usize = 10_000;

/// A connection to a store of jobs. Cheap to clone; all clones share one connection.
#[derive(Clone)]
pub struct Jobs {
    store: Store,
}

impl Jobs {
    /// Connects by URL: `sqlite://jobs.db` (a path relative to the working directory),
    /// `sqlite:///var/lib/app/jobs.db` (an absolute one), or `memory://`. The schema is brought
    /// up to date.
    ///
    /// # Errors
    /// `X_URL_INVALID` if no driver of this build understands the URL, `X_DRIVER_UNAVAILABLE` if
    /// the store cannot be reached, `X_STORE_SETTINGS` if it would break a promise.
    ///
    /// ```
    /// # async fn connect() -> jobs_runtime::Result<()> {
    /// let jobs = jobs_runtime::Jobs::connect("memory://").await?;
    /// # Ok(()) }
    /// ```
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let env = Env::system();
        let driver = crate::connect::connect(url, env.clone()).await?;
        Ok(Jobs {
            store: Store::new(driver, env),
        })
    }

    /// Uses a driver that is already connected, and time and randomness that are given.
    pub fn with_driver(driver: impl Driver, env: Env) -> Self {
        Jobs {
            store: Store::new(Arc::new(driver), env),
        }
    }

    /// The same connection, with something between it and the store: for tests that make a store
    /// fail.
    #[must_use]
    pub fn hooked(self, hook: impl StoreHook) -> Self {
        Jobs {
            store: self.store.hooked(Arc::new(hook)),
        }
    }

    /// The same connection, through which values are stored as this codec writes them. Values of
    /// other codecs given before, and of none, can still be read. See [`crate::codec`].
    #[must_use]
    pub fn with_codec(self, codec: impl Codec) -> Self {
        let store = self.store.with_codec(Arc::new(codec));
        crate::outbox::remember(&store);
        Jobs { store }
    }

    /// The same connection, where what is enqueued is run at once.
    pub(crate) fn inlined(self, inline: Arc<crate::testing::Workers>) -> Self {
        Jobs {
            store: self.store.inlined(inline),
        }
    }

    /// A worker on this store.
    pub fn worker(&self) -> Worker {
        Worker::new(self.clone())
    }

    /// The operator's verbs and views.
    #[must_use]
    pub fn admin(&self) -> Admin<'_> {
        Admin::new(&self.store)
    }

    /// Publishes an event: stored, matched with waiting runs, and kept for runs that come to wait
    /// within its time to live.
    ///
    /// # Errors
    /// If it could not be stored. After `X_OUTCOME_UNKNOWN` it may have been.
    pub fn publish<E: Event>(&self, event: E, key: impl EventKey<E::Key>) -> Publishing<'_> {
        let event = self.event_row(event, key);
        Publishing::new(async move {
            let event = event?;
            let events = std::slice::from_ref(&event);
            crash_point!("client.publish.before");
            self.retrying(|| self.store.publish(events)).await?;
            crash_point!("client.publish.after");
            Ok(event.id)
        })
    }

    /// An event as it is stored.
    pub(crate) fn event_row<E: Event>(
        &self,
        event: E,
        key: impl EventKey<E::Key>,
    ) -> Result<NewEvent, Error> {
        let env = &self.store.env;
        let payload = self.store.payload(event.encode()?)?;
        let limit = self.store.capabilities().payload_limit;
        if payload.bytes.len() > limit {
            let what = format!("event \"{}\"", E::NAME);
            return Err(Error::payload_too_large(what, payload.bytes.len(), limit));
        }
        let key = has_key::<E::Key>().then(|| crate::private::event_key::<E, _>(&key));
        if key.as_deref() == Some("") {
            return Err(Error::name_invalid(
                format_args!("the key of event \"{}\" is empty", E::NAME),
                "give what the event and its wait share, or declare the event with `key = none`",
            ));
        }
        Ok(NewEvent {
            id: EventId::new(env.clock.now(), env.entropy.bits()),
            name: E::NAME.into(),
            key,
            tenant: None,
            payload,
            ttl: E::TTL.unwrap_or(DEFAULT_TTL),
            trace_context: None,
        })
    }

    /// Stores many jobs of one kind in one write, which costs little more than one job: up to
    /// [`ENQUEUE_LIMIT_JOBS`] at a time. The answers come in the order of the requests, each for
    /// itself: one that is refused takes no other with it.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    ///
    /// #[job(idempotency = "enqueue-all-example:{input}")]
    /// async fn enqueue_all_example(input: u64) -> Result<u64> {
    ///     Ok(input)
    /// }
    ///
    /// # async fn enqueue(jobs: &Jobs) -> Result<()> {
    /// let requests = (0..1000).map(enqueue_all_example);
    /// for handle in jobs.enqueue_all(requests).await? {
    ///     println!("{}", handle?.id());
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the store fails: then some may be stored, and the same requests can be made again where
    /// they have keys. What is wrong with one request is its own answer, as for
    /// [`crate::Request::enqueue`].
    pub async fn enqueue_all<J: Job>(
        &self,
        requests: impl IntoIterator<Item = Request<J>>,
    ) -> Result<Vec<Result<Handle<J>, Error>>, Error> {
        let rows: Vec<Result<NewJob, Error>> = requests
            .into_iter()
            .map(|request| {
                let env = &self.store.env;
                let row = request.into_row(env, env.clock.now())?;
                self.checked(self.store.sealed(row)?)
            })
            .collect();
        let good: Vec<NewJob> = rows.iter().flatten().cloned().collect();
        let mut answers = Vec::with_capacity(good.len());
        for batch in good.chunks(ENQUEUE_LIMIT_JOBS) {
            answers.extend(self.enqueue_batch(batch).await?);
        }
        let mut answers = answers.into_iter();
        let mut handles = Vec::with_capacity(rows.len());
        for row in rows {
            handles.push(match row {
                Ok(_) => answers.next().unwrap_or_else(|| Err(unanswered())),
                Err(error) => Err(error),
            });
        }
        let handles = handles.into_iter();
        Ok(handles.map(|answer| answer.map(Handle::new)).collect())
    }

    /// Writes what is on its way and lets go of the store. Calls after it fail.
    pub async fn close(&self) {
        self.store.close().await;
    }

    pub(crate) fn of(store: Store) -> Self {
        Jobs { store }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Stores a job whose definition may be another program's: for tools and tests. A lost reply
    /// is answered by sending the same id again.
    ///
    /// # Errors
    /// As [`crate::Request::enqueue`]; `X_OUTBOX_NO_TX` if the definition in this program says
    /// `outbox = required`, for which there is [`Jobs::enqueue_raw_in`].
    pub async fn enqueue_raw(&self, job: NewJob) -> Result<crate::contract::Enqueued, Error> {
        if crate::registry::wants_outbox(&job.spec.name) {
            return Err(Error::outbox_without_tx(&job.spec.name));
        }
        self.enqueue_row(job).await
    }

    /// Stores a job of which it is known that it may stand alone.
    pub(crate) async fn enqueue_row(&self, job: NewJob) -> Result<Enqueued, Error> {
        let jobs = [self.checked(job)?];
        let answers = self.enqueue_batch(&jobs).await?;
        answers
            .into_iter()
            .next()
            .unwrap_or_else(|| Err(unanswered()))
    }

    fn checked(&self, job: NewJob) -> Result<NewJob, Error> {
        let limit = self.store.capabilities().payload_limit;
        let size = job.spec.input.bytes.len();
        if size > limit {
            let what = format!("the input of job \"{}\"", job.spec.name);
            return Err(Error::payload_too_large(what, size, limit));
        }
        Ok(job)
    }

    async fn enqueue_batch(&self, jobs: &[NewJob]) -> Result<Vec<Result<Enqueued, Error>>, Error> {
        crash_point!("client.enqueue.before");
        let answers = self.retrying(|| self.store.enqueue(jobs)).await?;
        crash_point!("client.enqueue.after");
        let mut told = Vec::with_capacity(answers.len());
        for (job, answer) in jobs.iter().zip(answers) {
            told.push(match stored(job, answer) {
                Ok(enqueued) => self.compared(job, enqueued).await,
                refused => refused,
            });
        }
        Ok(told)
    }

    /// A store compares what was stored, and a codec may store one value as different bytes each
    /// time: then the values themselves are compared here.
    pub(crate) async fn compared(
        &self,
        job: &NewJob,
        enqueued: Enqueued,
    ) -> Result<Enqueued, Error> {
        let codecs = &self.store.codecs;
        if codecs.is_plain() || !(enqueued.deduped && enqueued.input_differs) {
            return Ok(enqueued);
        }
        let Some(live) = self.store.inspect().job(enqueued.id).await? else {
            return Ok(enqueued);
        };
        let (wanted, there) = (
            codecs.decode(&job.spec.input),
            codecs.decode(&live.spec.input),
        );
        // What cannot be read is not the same.
        let input_differs = !matches!((wanted, there), (Ok(a), Ok(b)) if a == b);
        Ok(Enqueued {
            input_differs,
            ..enqueued
        })
    }

    async fn retrying<T, F>(&self, write: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let clock = &self.store.env.clock;
        let begun = clock.monotonic();
        let mut pause = FIRST_PAUSE;
        let mut answer = write().await;
        for _ in 1..MAX_WRITE_TRIES {
            match &answer {
                Err(error) if error.is_outcome_unknown() => {
                    tracing::debug!(%error, "trying the same write again");
                }
                _ => break,
            }
            crash_point!("client.retry");
            clock.sleep(pause).await;
            pause *= 2;
            if clock.monotonic().saturating_sub(begun) > RESEND_WITHIN {
                break;
            }
            answer = write().await;
        }
        answer
    }
}

/// What the answer to an enqueue says of its job.
pub(crate) fn stored(job: &NewJob, answer: EnqueueAnswer) -> Result<Enqueued, Error> {
    answer.map_err(|conflicted| match conflicted {
        Conflicted::KeyTaken(holder) => {
            let key = job.spec.key.as_deref().unwrap_or_default();
            Error::key_taken(&job.spec.name, key, holder)
        }
        Conflicted::Refused(error) => error,
    })
}

pub(crate) fn unanswered() -> Error {
    Error::store_corrupt("an enqueue that was answered with nothing")
}

/// The time to live of an event that says nothing: a week.
pub(crate) const DEFAULT_TTL: Millis = Millis::secs(7 * 24 * 3600);
