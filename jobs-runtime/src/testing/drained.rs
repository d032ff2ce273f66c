//! What came of a drain: which leases ran, and how each left its job.

use crate::Error;
use crate::core::{JobId, State, StoredError};
use crate::worker::{RunEvent, RunRef};
use std::collections::BTreeMap;
use std::fmt;

/// What came of a [`Bench::drain`](super::Bench::drain) or an
/// [`advance`](super::Bench::advance).
#[derive(Clone, Debug, Default)]
pub struct Drained {
    leases: usize,
    left: Vec<Left>,
}

/// How one lease left its job.
#[derive(Clone, Debug)]
pub struct Left {
    /// The job.
    pub job: JobId,
    /// Its durable name.
    pub name: String,
    /// Its idempotency key.
    pub key: Option<String>,
    /// The attempt that it was.
    pub attempt: u32,
    /// The state it is in: `Pending` waits for its next attempt.
    pub state: State,
    /// The error of the attempt, if it failed.
    pub error: Option<StoredError>,
}

impl Drained {
    /// How many leases ran.
    #[must_use]
    pub fn leases(&self) -> usize {
        self.leases
    }

    /// How each lease left its job, in order.
    #[must_use]
    pub fn left(&self) -> &[Left] {
        &self.left
    }

    /// The jobs that ended well.
    pub fn done(&self) -> impl Iterator<Item = &Left> {
        self.left.iter().filter(|left| left.state == State::Done)
    }

    /// The attempts that failed, the last of a job or not.
    pub fn failed(&self) -> impl Iterator<Item = &Left> {
        self.left.iter().filter(|left| left.error.is_some())
    }
}

impl fmt::Display for Drained {
    /// A line for each lease.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.leases == 1 { "" } else { "s" };
        write!(f, "{} lease{plural} ran", self.leases)?;
        self.left
            .iter()
            .try_for_each(|left| write!(f, "\n  {left}"))
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(key) = &self.key {
            write!(f, " [{key}]")?;
        }
        if self.attempt > 1 {
            write!(f, " attempt {}", self.attempt)?;
        }
        match (self.state, &self.error) {
            (State::Pending, Some(error)) => write!(f, " will be tried again: {error}"),
            (state, Some(error)) => write!(f, " {state}: {error}"),
            (state, None) => write!(f, " {state}"),
        }
    }
}

/// A drain's own count.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    drained: Drained,
    by_job: BTreeMap<JobId, usize>,
}

impl Tally {
    /// A lease begins; an error if that is more than `limit`.
    pub(crate) fn begin(&mut self, job: JobId, name: &str, limit: usize) -> Result<(), Error> {
        self.drained.leases += 1;
        let own = self.by_job.entry(job).or_default();
        *own += 1;
        if self.drained.leases > limit {
            return Err(Error::drained_too_long(limit, name, job, *own));
        }
        Ok(())
    }

    pub(crate) fn hear(&mut self, run: RunRef<'_>, event: RunEvent<'_>) {
        let (state, error) = match event {
            RunEvent::Ended { state, error, .. } => (state, error.cloned()),
            RunEvent::Suspended { .. } => (State::Suspended, None),
            _ => return,
        };
        self.drained.left.push(Left {
            job: run.job,
            name: run.name.into(),
            key: run.key.map(Into::into),
            attempt: run.attempt,
            state,
            error,
        });
    }

    pub(crate) fn take(&mut self) -> Drained {
        std::mem::take(self).drained
    }
}
