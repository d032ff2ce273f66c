//! The store that a command is about, and ids as people write them.

use super::args::StoreArgs;
use crate::Error;
use crate::client::Jobs;
use crate::core::{JobId, State};
use crate::error::codes::{X_JOB_UNKNOWN, X_NAME_INVALID, X_URL_INVALID};

/// The variable that names the store where the arguments do not.
const URL_VARIABLE: &str = "JOBS_URL";

pub(super) async fn connect(args: &StoreArgs) -> Result<Jobs, Error> {
    Jobs::connect(&url(args)?).await
}

/// Which store is meant.
pub(super) fn url(args: &StoreArgs) -> Result<String, Error> {
    let url = args
        .url
        .clone()
        .or_else(|| std::env::var(URL_VARIABLE).ok());
    url.ok_or_else(|| {
        Error::new(
            &X_URL_INVALID,
            "no store is named",
            format!("write `--url sqlite://jobs.db`, or set the variable {URL_VARIABLE}"),
        )
    })
}

pub(super) fn id(text: &str) -> Result<JobId, Error> {
    text.parse().map_err(|_| {
        Error::new(
            &X_JOB_UNKNOWN,
            format!("\"{text}\" is no id of a job"),
            "an id looks like 01890a5d-ac96-774b-bcce-b302099a8057; `jobs ls` lists those there are",
        )
    })
}

pub(super) fn state(text: &str) -> Result<State, Error> {
    let found = State::ALL.into_iter().find(|state| state.as_str() == text);
    found.ok_or_else(|| {
        let all: Vec<&str> = State::ALL.iter().map(|state| state.as_str()).collect();
        Error::new(
            &X_NAME_INVALID,
            format!("there is no state \"{text}\""),
            format!("write one of {}", all.join(", ")),
        )
    })
}
