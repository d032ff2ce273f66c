//! What a job says of an input that is known as JSON alone: whether it is one, and whose job it
//! makes. The generic half is `private::run`, which knows the type; nothing of the body runs.

use super::{Call, JobDef};
use crate::Error;
use std::sync::{Arc, OnceLock};

/// What a job says of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Whose job it makes.
    pub tenant: Option<String>,
    /// What it is counted under.
    pub limit_key: Option<String>,
}

/// Takes what a job says.
#[derive(Clone, Debug, Default)]
pub struct Asks(Arc<OnceLock<Result<Said, Error>>>);

impl Asks {
    /// Says it; the first answer counts.
    pub fn answer(&self, said: Result<Said, Error>) {
        let _ = self.0.set(said);
    }
}

impl JobDef {
    /// What it says of an input.
    ///
    /// # Errors
    /// `X_INPUT_UNDECODABLE` if it is none of this job.
    pub(crate) fn asked(&self, input: &[u8]) -> Result<Said, Error> {
        let asks = Asks::default();
        // The answer is there before the body would be polled.
        drop((self.run)(Call::Ask(asks.clone(), input)));
        asks.0.get().cloned().unwrap_or_else(|| Ok(Said::default()))
    }
}
