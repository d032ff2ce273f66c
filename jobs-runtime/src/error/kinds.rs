//! The constructors of [`Error`], one kind each.

use super::Error;
use super::codes::*;
use crate::core::{JobId, Millis, StoredError};
use std::sync::Arc;

impl Error {
    /// The store cannot be reached, or does not answer. Nothing was written.
    #[must_use]
    pub fn driver_unavailable(driver: &str, cause: impl std::fmt::Display, fix: &str) -> Self {
        let message = format!("the {driver} store is unavailable: {cause}");
        Error::new(&X_DRIVER_UNAVAILABLE, message, fix)
    }

    /// The connection broke after a write was sent: it may have happened. Trying again with the
    /// same ids is safe.
    #[must_use]
    pub fn outcome_unknown(driver: &str, cause: impl std::fmt::Display) -> Self {
        let message = format!("the {driver} store broke off in the middle of a write: {cause}");
        let fix = "look whether it is there, or make the call again: no key is taken twice while its job is live";
        Error::new(&X_OUTCOME_UNKNOWN, message, fix)
    }

    /// What the store holds cannot be read.
    #[must_use]
    pub fn store_corrupt(what: impl std::fmt::Display) -> Self {
        let message = format!("the store holds something that cannot be read: {what}");
        let fix = "stop the workers, copy the store as it is, see what `jobs_runtime::doctor` \
                   finds, and restore the last good backup";
        Error::new(&X_STORE_CORRUPT, message, fix)
    }

    /// The store is set up in a way that breaks a promise.
    #[must_use]
    pub fn store_settings(what: impl std::fmt::Display, fix: impl Into<Arc<str>>) -> Self {
        Error::new(
            &X_STORE_SETTINGS,
            format!("the store cannot keep its promises: {what}"),
            fix,
        )
    }

    /// The schema of the store is newer than this program.
    #[must_use]
    pub fn schema_newer(store: u32, program: u32) -> Self {
        let message =
            format!("the store has schema version {store}, and this program knows {program}");
        Error::new(
            &X_SCHEMA_NEWER,
            message,
            "run a version of the program at least as new as the one that migrated the store",
        )
    }

    /// A value is larger than the store takes. Nothing was written.
    #[must_use]
    pub fn payload_too_large(what: impl std::fmt::Display, bytes: usize, limit: usize) -> Self {
        let message = format!("{what} has {bytes} bytes, and the limit is {limit}");
        Error::new(
            &X_PAYLOAD_TOO_LARGE,
            message,
            "keep the large part in a file or an object store, and pass its address instead",
        )
    }

    /// The job is not in the store.
    #[must_use]
    pub fn job_unknown(id: impl std::fmt::Display) -> Self {
        Error::new(
            &X_JOB_UNKNOWN,
            format!("there is no job {id}"),
            "check the id and the store; an ended job is removed when its retention is over",
        )
    }

    /// The job changed between being read and being written.
    #[must_use]
    pub fn conflict(job: JobId) -> Self {
        Error::new(
            &X_CONFLICT,
            format!("job {job} changed while it was being changed"),
            "read the job again, and repeat the change if it still makes sense",
        )
    }

    /// A setting changed between being read and being written.
    #[must_use]
    pub fn setting_conflict(key: &str) -> Self {
        let message = format!("the setting \"{key}\" changed while it was being changed");
        Error::new(
            &X_CONFLICT,
            message,
            "read the setting again, and repeat the change if it still makes sense",
        )
    }

    /// A live job holds the key, and the caller asked for an error.
    #[must_use]
    pub fn key_taken(name: &str, key: &str, holder: JobId) -> Self {
        let message = format!("job \"{name}\" is already live as {holder} with the key \"{key}\"");
        Error::new(
            &X_JOB_DUPLICATE,
            message,
            "leave `on_conflict` at `Dedupe` to get the live job instead, or make the key narrower",
        )
    }

    /// Two definitions claim one durable name.
    #[must_use]
    pub fn name_taken(name: &str, first: &str, second: &str) -> Self {
        let message =
            format!("two jobs claim the name \"{name}\": one in {first}, one in {second}");
        Error::new(
            &X_JOB_DUPLICATE,
            message,
            "give one of them another name with `#[job(name = \"..\")]`; a name is a key in the store and belongs to one job",
        )
    }

    /// Two crates claim one error code.
    pub(crate) fn code_taken(code: &str, first: &str, second: &str) -> Self {
        Error::new(
            &X_CODE_DUPLICATE,
            format!("the error code {code} is claimed twice, by `{first}` and by `{second}`"),
            "rename the code in one of the two crates, with the crate's name in front",
        )
    }

    /// A job without a key, where one is needed.
    #[must_use]
    pub fn idempotency_required(name: &str) -> Self {
        let message = format!("the idempotency key of job \"{name}\" is empty for this input");
        Error::new(
            &X_IDEMPOTENCY_REQUIRED,
            message,
            "make the key say what must not happen twice, as in `idempotency = \"welcome:{input.user_id}\"`",
        )
    }

    /// A name or key has a form that is not allowed.
    #[must_use]
    pub fn name_invalid(what: impl std::fmt::Display, fix: &str) -> Self {
        Error::new(&X_NAME_INVALID, what.to_string(), fix)
    }

    /// This store or build cannot do that.
    #[must_use]
    pub fn not_implemented(what: impl std::fmt::Display, fix: &str) -> Self {
        Error::new(&X_NOT_IMPLEMENTED, what.to_string(), fix)
    }

    /// No driver understands the URL. What may be a password in it is not shown, so `why` and `fix`
    /// should not repeat it.
    #[must_use]
    pub fn url_invalid(url: &str, why: impl std::fmt::Display, fix: impl Into<Arc<str>>) -> Self {
        let url = super::url::redacted(url);
        Error::new(
            &X_URL_INVALID,
            format!("cannot connect to \"{url}\": {why}"),
            fix,
        )
    }

    /// A job needs a state that the worker was not given.
    #[must_use]
    pub fn state_missing(job: &str, state: &str) -> Self {
        let message = format!("job \"{job}\" takes a `State<{state}>`, and the worker has none");
        Error::new(
            &X_STATE_MISSING,
            message,
            format!("give it one before it runs: `jobs.worker().state(..)` with a `{state}`"),
        )
    }

    /// The run has no such step.
    #[must_use]
    pub fn step_unknown(step: &str, near: Option<&str>) -> Self {
        let fix = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "take a name from the job's journal: `jobs.admin().show(id)`".into(),
        };
        Error::new(
            &X_STEP_UNKNOWN,
            format!("the run has no step \"{step}\""),
            fix,
        )
    }

    /// The job that was waited for did not end well.
    #[must_use]
    pub fn job_failed(job: JobId, name: &str, error: &StoredError) -> Self {
        let message = format!("job \"{name}\" ({job}) failed: {error}");
        Error::new(
            &X_JOB_FAILED,
            message,
            "mend the cause, then requeue the job: `jobs.admin().requeue(id)`",
        )
    }

    /// The attempts of the job that was waited for are used up.
    #[must_use]
    pub fn max_attempts(job: JobId, name: &str, attempts: u32, error: &StoredError) -> Self {
        let message = format!(
            "job \"{name}\" ({job}) failed in {}, and is a dead letter; the last error: {error}",
            counted(attempts)
        );
        Error::new(
            &X_JOB_MAX_ATTEMPTS,
            message,
            "mend the cause, then requeue the job: `jobs.admin().requeue(id)`",
        )
    }

    /// The job that was waited for was cancelled.
    #[must_use]
    pub fn cancelled(job: JobId, name: &str) -> Self {
        Error::new(
            &X_JOB_CANCELLED,
            format!("job \"{name}\" ({job}) was cancelled"),
            "enqueue it again if it should run after all",
        )
    }

    /// Somebody wants the outcome of a job that has none yet.
    pub(crate) fn job_not_ended(job: JobId, name: &str, why: &str) -> Self {
        Error::new(
            &X_JOB_NOT_ENDED,
            format!("job \"{name}\" ({job}) has not ended: {why}"),
            "let it run with `bench.drain()`, let its time pass with `bench.advance(span)`, or publish what it waits for",
        )
    }

    /// A drain that would go on for ever.
    pub(crate) fn drained_too_long(leases: usize, name: &str, job: JobId, own: usize) -> Self {
        Error::new(
            &X_JOB_TIMEOUT,
            format!(
                "the bench ran {leases} leases and there are more; the last was for job \"{name}\" ({job}), which had {own} of them"
            ),
            "look for a job that enqueues itself or is tried again at once; if the test needs more leases, allow them with `Bench::limit_leases`",
        )
    }

    /// A job or step took too long.
    #[must_use]
    pub fn timeout(what: impl std::fmt::Display, millis: u64) -> Self {
        let message = format!("{what} took longer than {}", Millis(millis));
        Error::new(
            &X_JOB_TIMEOUT,
            message,
            "raise the `timeout`, or split the work into more steps",
        )
    }

    /// A stored value is not what the code expects.
    #[must_use]
    pub fn undecodable(
        what: impl std::fmt::Display,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        let message = format!("{what} cannot be read back");
        Error::new(
            &X_INPUT_UNDECODABLE,
            message,
            "accept the stored form too, for example with `#[serde(default)]` on a new field",
        )
        .caused_by(source)
    }

    /// A value cannot be written down.
    #[must_use]
    pub fn unencodable(
        what: impl std::fmt::Display,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        let message = format!("{what} cannot be stored");
        Error::new(
            &X_OUTPUT_UNENCODABLE,
            message,
            "give a type that JSON can hold: a map needs text keys, so make any other map a list of pairs",
        )
        .caused_by(source)
    }

    /// A stored value carries the id of a codec that was not given here.
    #[must_use]
    pub fn codec_unknown(id: u16) -> Self {
        Error::new(
            &X_CODEC_UNKNOWN,
            format!("a stored value was written by codec {id}, which is not known here"),
            "give the codec that wrote it: `jobs.with_codec(..)`",
        )
    }

    /// A value was sealed by a key that is not in the ring.
    #[must_use]
    pub fn seal_key_unknown(id: u32) -> Self {
        Error::new(
            &X_SEAL_KEY_UNKNOWN,
            format!("a value was sealed by the key {id}, which is not in the ring"),
            format!(
                "add it: `KeyRing::new(..).reading({id}, key)`, for as long as anything sealed by it is kept"
            ),
        )
    }

    /// A sealed value does not open.
    #[must_use]
    pub fn seal_broken(what: impl std::fmt::Display) -> Self {
        Error::new(
            &X_SEAL_BROKEN,
            what.to_string(),
            "check that each key has the id under which it sealed, and who else can write to the store",
        )
    }

    /// Nobody has set the ambient connection.
    pub(crate) fn jobs_unset() -> Self {
        Error::new(
            &X_JOBS_UNSET,
            "there is no ambient connection to a store",
            "call `jobs_runtime::set_jobs(jobs)` when the program starts, or pass the connection: `.enqueue(&jobs)`",
        )
    }

    /// A write was refused because another worker holds the job.
    #[must_use]
    pub fn lease_lost(job: JobId) -> Self {
        Error::new(
            &X_LEASE_LOST,
            format!("another worker holds job {job}"),
            "nothing to do: the other worker goes on with it; if it happens often, raise `visibility_timeout`",
        )
    }

    /// The same error, with a remedy that fits this case of it better.
    #[must_use]
    pub fn with_fix(self, fix: impl Into<Arc<str>>) -> Self {
        Error {
            fix: fix.into(),
            ..self
        }
    }

    /// The same error, with what lies beneath it.
    #[must_use]
    pub fn with_source(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.caused_by(source)
    }
}

fn counted(attempts: u32) -> String {
    if attempts == 1 {
        "its only attempt".into()
    } else {
        format!("all {attempts} attempts")
    }
}
