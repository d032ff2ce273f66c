//! Retention: for how long ended jobs are kept, by state and by definition. What is said here goes
//! to the store as rules; dead letters are none of its business.

use crate::client::RESEND_WITHIN;
use crate::contract::{PruneBounds, PruneRule, Pruned};
use crate::core::{Millis, State, Timestamp};
use crate::store::Store;
use crate::{Error, clock::Env};
use std::convert::Infallible;
use std::time::Duration;

/// Rows of each kind that one write removes, so that the store is never locked for long.
const BATCH_ROWS: usize = 500;
/// Writes of one sweep. What is left is for the next.
const SWEEP_LIMIT_BATCHES: usize = 1_000;
/// For how long an ended job is kept whatever the rules say: a program whose enqueue was not answered
/// sends it again within a third of it, and would have the job run again if nothing were left of it.
const KEPT_AT_LEAST: Millis = Millis::secs(60);
const _: () = assert!(KEPT_AT_LEAST.0 >= 3 * RESEND_WITHIN.as_secs() * 1_000);
/// Time between two sweeps of a worker.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// What is kept of ended jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    age: Option<Millis>,
    count: Option<u64>,
}

impl Keep {
    /// Those that ended within so much time.
    #[must_use]
    pub fn for_the_last(span: Duration) -> Keep {
        Keep {
            age: Some(span.into()),
            count: None,
        }
    }

    /// So many, those that ended last; of each definition. A sweep walks over them in an index, so
    /// a million costs more than a thousand.
    #[must_use]
    pub fn newest(count: u64) -> Keep {
        Keep {
            age: None,
            count: Some(count),
        }
    }

    /// Of those no more than so many, of each definition.
    #[must_use]
    pub fn at_most(self, count: u64) -> Keep {
        Keep {
            count: Some(count),
            ..self
        }
    }
}

/// For how long ended jobs are kept, by state and by definition. What is not said is kept, and so is
/// for a minute whatever has ended ([`at_least`](Retention::at_least)).
///
/// ```
/// use jobs_runtime::{Jobs, Keep, Retention};
/// use std::time::Duration;
///
/// # fn worker(jobs: Jobs) {
/// let day = Duration::from_secs(24 * 3600);
/// let retention = Retention::new()
///     .done(Keep::for_the_last(7 * day).at_most(100_000))
///     .failed(Keep::for_the_last(30 * day))
///     .of("poll-inbox", Retention::new().done(Keep::newest(10)));
/// let worker = jobs.worker().retention(retention);
/// # drop(worker);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    rules: Vec<(Option<String>, State, Keep)>,
    at_least: Millis,
}

impl Default for Retention {
    fn default() -> Self {
        Retention {
            rules: Vec::new(),
            at_least: KEPT_AT_LEAST,
        }
    }
}

impl Retention {
    /// Keeps everything.
    #[must_use]
    pub fn new() -> Retention {
        Retention::default()
    }

    /// What is kept of jobs that ended well.
    #[must_use]
    pub fn done(self, keep: Keep) -> Retention {
        self.rule(State::Done, keep)
    }

    /// What is kept of jobs that a fatal error ended.
    #[must_use]
    pub fn failed(self, keep: Keep) -> Retention {
        self.rule(State::Failed, keep)
    }

    /// What is kept of cancelled jobs.
    #[must_use]
    pub fn cancelled(self, keep: Keep) -> Retention {
        self.rule(State::Cancelled, keep)
    }

    /// What is kept of the jobs of this durable name, in place of what holds for all.
    #[must_use]
    pub fn of(mut self, name: &str, own: Retention) -> Retention {
        let own = own.rules.into_iter().filter(|(other, ..)| other.is_none());
        self.rules
            .extend(own.map(|(_, state, keep)| (Some(name.to_owned()), state, keep)));
        self
    }

    /// For how long an ended job is kept whatever the rules say, by the clock of the store; a minute
    /// unless said here. A program that got no answer to an enqueue sends it again for twenty
    /// seconds: it finds the job by its id, ended or not. With less than that a job that ended fast,
    /// and was removed at once, is made anew and runs twice.
    #[must_use]
    pub fn at_least(mut self, span: Duration) -> Retention {
        self.at_least = span.into();
        self
    }

    fn rule(mut self, state: State, keep: Keep) -> Retention {
        self.rules.push((None, state, keep));
        self
    }

    fn bounds(&self, now: Timestamp) -> PruneBounds {
        let rules = self.rules.iter().map(|(name, state, keep)| PruneRule {
            name: name.clone(),
            state: *state,
            before: keep.age.map(|age| now.before(age)),
            keep: keep.count,
        });
        PruneBounds {
            rules: rules.collect(),
            spared: self.at_least,
            limit: BATCH_ROWS,
            events_expired_before: now.before(self.at_least),
            ..PruneBounds::default()
        }
    }

    /// Removes what is not kept any more, in many short writes, and events whose time is over.
    pub(crate) async fn sweep(&self, store: &Store) -> Result<Pruned, Error> {
        let bounds = self.bounds(store.env.clock.now());
        let mut total = Pruned::default();
        for _ in 0..SWEEP_LIMIT_BATCHES {
            let pruned = store.prune(&bounds).await?;
            total.jobs += pruned.jobs;
            total.events += pruned.events;
            total.freed_bytes += pruned.freed_bytes;
            if pruned == Pruned::default() {
                break;
            }
        }
        Ok(total)
    }
}

/// Sweeps again and again, beside the work of a worker.
pub(crate) async fn watch(retention: Option<Retention>, store: Store, env: Env) -> Infallible {
    let Some(retention) = retention else {
        return std::future::pending().await;
    };
    loop {
        match retention.sweep(&store).await {
            Ok(pruned) => tracing::debug!(?pruned, "removed what is kept no longer"),
            Err(error) => tracing::warn!(%error, "ended jobs could not be removed; trying again"),
        }
        // Half to all of it, so that a fleet does not sweep in step.
        let half = SWEEP_EVERY / 2;
        let spread = env.entropy.bits() as u64 % u64::try_from(half.as_millis()).unwrap_or(1);
        env.clock.sleep(half + Duration::from_millis(spread)).await;
    }
}
