//! The list of codes. A code belongs to one owner: claiming it twice is found at start.
//! What a code means to a person is told in the book, on its page on errors.

use super::Error;

/// One stable error code. A crate with errors of its own, such as a driver, claims its codes with
/// `inventory::submit!`, as `&'static Code`.
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

/// Refuses a program in which two claims are laid to one code: a person who looks it up would read
/// about somebody else's error.
///
/// # Errors
///
/// `X_CODE_DUPLICATE`, which names the code and both owners.
pub(crate) fn check_codes() -> Result<(), Error> {
    check(&codes())
}

/// Wants the codes sorted by name, so that two claims on one are neighbours.
fn check(sorted: &[&'static Code]) -> Result<(), Error> {
    for pair in sorted.windows(2) {
        if let [first, second] = pair
            && first.name == second.name
        {
            return Err(Error::code_taken(first.name, first.owner, second.owner));
        }
    }
    Ok(())
}

macro_rules! own_codes {
    ($($name:ident = $title:literal;)*) => {$(
        pub(crate) static $name: Code =
            Code { name: stringify!($name), title: $title, owner: env!("CARGO_PKG_NAME") };
        inventory::submit! { &$name }
    )*};
}

own_codes! {
    X_CHILD_CYCLE = "a child would wait for its own parent";
    X_CODEC_UNKNOWN = "a stored value was written by a codec that is not known here";
    X_CODE_DUPLICATE = "two crates claim the same error code";
    X_CONFLICT = "the job changed while it was being changed";
    X_DRIVER_UNAVAILABLE = "the store cannot be reached";
    X_IDEMPOTENCY_REQUIRED = "the job has no idempotency key";
    X_INPUT_UNDECODABLE = "the stored input is not what the job expects";
    X_JOBS_UNSET = "there is no ambient connection to a store";
    X_JOB_CANCELLED = "the job was cancelled";
    X_JOB_DUPLICATE = "this key or name already belongs to another job";
    X_JOB_EXPIRED = "the job was not started in time";
    X_JOB_FAILED = "the job ended with an error";
    X_JOB_MAX_ATTEMPTS = "the attempts of the job are used up";
    X_JOB_NOT_ENDED = "the job has no outcome yet";
    X_JOB_PANIC = "the body of the job panicked";
    X_JOB_TIMEOUT = "the job or one of its steps took too long";
    X_JOB_UNKNOWN = "there is no such job";
    X_JOURNAL_MISMATCH = "the recorded steps do not fit the code";
    X_LEASE_LOST = "another worker holds the job";
    X_LOCK_INVALID = "a lock file cannot be read or written";
    X_NAME_INVALID = "a name or key has a form that is not allowed";
    X_NOT_IMPLEMENTED = "this store or build cannot do that";
    X_OUTBOX_NO_TX = "an outbox enqueue outside a transaction";
    X_OUTCOME_UNKNOWN = "the write may or may not have happened";
    X_OUTPUT_UNENCODABLE = "a value could not be written down";
    X_PAYLOAD_TOO_LARGE = "a value is larger than the store takes";
    X_SCHEDULE_INVALID = "a schedule or its zone cannot be read";
    X_SCHEDULE_UNKNOWN = "there is no such schedule";
    X_SCHEMA_NEWER = "the store was written by a newer version";
    X_SEAL_BROKEN = "a sealed value was changed, or sealed by another key";
    X_SEAL_KEY_UNKNOWN = "a value was sealed by a key that is not known here";
    X_STATE_MISSING = "a job needs a state that the worker was not given";
    X_STEP_DUPLICATE = "two steps of one run share a name";
    X_STEP_INTERRUPTED = "a step that may not run twice was cut off inside";
    X_STEP_UNKNOWN = "the run has no such step";
    X_STORE_CORRUPT = "the store holds something that cannot be read";
    X_STORE_SETTINGS = "the store is set up in a way that breaks a promise";
    X_TX_REFUSED = "the writes of a `tx` step may not stand";
    X_URL_INVALID = "no driver understands this URL";
}

#[cfg(test)]
mod tests {
    use super::{Code, check, check_codes, codes};

    fn claim(name: &'static str, owner: &'static str) -> &'static Code {
        Box::leak(Box::new(Code {
            name,
            title: "a title",
            owner,
        }))
    }

    #[test]
    fn a_second_claim_on_a_code_is_refused_and_names_both_owners() {
        let sorted = [
            claim("X_DISK_FULL", "jobs-runtime"),
            claim("X_QUOTA", "driver-a"),
            claim("X_QUOTA", "driver-b"),
        ];
        let error = check(&sorted).unwrap_err();
        assert_eq!(error.code(), "X_CODE_DUPLICATE");
        assert_eq!(
            error.to_string(),
            "the error code X_QUOTA is claimed twice, by `driver-a` and by `driver-b`"
        );
    }

    #[test]
    fn a_second_claim_by_the_same_owner_is_refused_too() {
        let sorted = [claim("X_QUOTA", "driver-a"), claim("X_QUOTA", "driver-a")];
        assert!(check(&sorted).is_err());
    }

    #[test]
    fn the_codes_of_this_crate_have_one_owner_each() {
        check_codes().unwrap();
    }

    #[test]
    fn codes_come_sorted_by_name() {
        let all = codes();
        assert!(all.is_sorted_by(|a, b| a.name < b.name));
        assert!(!all.is_empty());
    }

    #[test]
    fn a_code_is_x_and_words_in_capitals() {
        for code in codes() {
            let words = code.name.strip_prefix("X_").unwrap_or_default();
            let fits = words.bytes().all(|b| b == b'_' || b.is_ascii_uppercase());
            assert!(fits && !words.is_empty(), "{}", code.name);
        }
    }

    #[test]
    fn a_code_links_to_its_place_on_the_page_of_this_version() {
        let link = claim("X_QUOTA", "driver-a").docs();
        assert!(link.starts_with("https://docs.rs/jobs-runtime/"), "{link}");
        assert!(
            link.ends_with("/jobs_runtime/errors/index.html#x_quota"),
            "{link}"
        );
    }
}
