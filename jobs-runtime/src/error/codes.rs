//! The list of codes. A code belongs to one owner: claiming it twice is found at start.

/// One stable error code.
#[derive(Debug)]
pub struct Code {
    /// `X_` and words in capitals.
    pub name: &'static str,
    /// What it means, in a few words.
    pub title: &'static str,
    /// The crate that owns it.
    pub owner: &'static str,
}

inventory::collect!(&'static Code);

impl Code {
    pub(crate) fn docs(&self) -> String {
        format!(
            "https://docs.rs/jobs-runtime/{}/jobs_runtime/errors/index.html#{}",
            env!("CARGO_PKG_VERSION"),
            self.name.to_lowercase()
        )
    }
}

/// Every code that is linked into this program, by name.
#[must_use]
pub fn codes() -> Vec<&'static Code> {
    let mut all: Vec<&'static Code> = inventory::iter::<&'static Code>().copied().collect();
    all.sort_by_key(|code| code.name);
    all
}

macro_rules! own_codes {
    ($($name:ident = $title:literal;)*) => {$(
        pub(crate) static $name: Code =
            Code { name: stringify!($name), title: $title, owner: env!("CARGO_PKG_NAME") };
        inventory::submit! { &$name }
    )*};
}

own_codes! {
    X_CONFLICT = "the job changed while it was being changed";
    X_DRIVER_UNAVAILABLE = "the store cannot be reached";
    X_IDEMPOTENCY_REQUIRED = "the job has no idempotency key";
    X_INPUT_UNDECODABLE = "the stored input is not what the job expects";
    X_JOB_CANCELLED = "the job was cancelled";
    X_JOB_DUPLICATE = "this key or name already belongs to another job";
    X_JOB_EXPIRED = "the job was not started in time";
    X_JOB_FAILED = "the job ended with an error";
    X_JOB_MAX_ATTEMPTS = "the attempts of the job are used up";
    X_JOB_PANIC = "the body of the job panicked";
    X_JOB_TIMEOUT = "the job or one of its steps took too long";
    X_JOB_UNKNOWN = "there is no such job";
    X_JOURNAL_MISMATCH = "the recorded steps do not fit the code";
    X_LEASE_LOST = "another worker holds the job";
    X_NAME_INVALID = "a name or key has a form that is not allowed";
    X_NOT_IMPLEMENTED = "this store or build cannot do that";
    X_OUTBOX_NO_TX = "an outbox enqueue outside a transaction";
    X_OUTCOME_UNKNOWN = "the write may or may not have happened";
    X_OUTPUT_UNENCODABLE = "a value could not be written down";
    X_PAYLOAD_TOO_LARGE = "a value is larger than the store takes";
    X_SCHEMA_NEWER = "the store was written by a newer version";
    X_STATE_MISSING = "a job needs a state that the worker was not given";
    X_STEP_DUPLICATE = "two steps of one run share a name";
    X_STEP_INTERRUPTED = "the worker died inside a step that may not run twice";
    X_STEP_UNKNOWN = "the run has no such step";
    X_STORE_CORRUPT = "the store holds something that cannot be read";
    X_STORE_SETTINGS = "the store is set up in a way that breaks a promise";
    X_URL_INVALID = "no driver understands this URL";
}

/// Checks that no code has two owners.
///
/// # Errors
/// `X_JOB_DUPLICATE` naming both.
pub(crate) fn check_codes() -> Result<(), super::Error> {
    let all = codes();
    for pair in all.windows(2) {
        if let [first, second] = pair
            && first.name == second.name
            && first.owner != second.owner
        {
            return Err(super::Error::name_taken(
                first.name,
                first.owner,
                second.owner,
            ));
        }
    }
    Ok(())
}
