//! What a body may ask for beside its input: values by type, and the job it runs in.

use super::{JobCx, RunCell};
use crate::core::{JobId, RunId};
use std::ops::Deref;
use std::sync::Arc;

/// A value that the worker was given, asked for by its type.
///
/// ```
/// use jobs_runtime::State;
///
/// struct Mailer;
/// impl Mailer {
///     fn from_address(&self) -> &'static str { "shop@example.org" }
/// }
///
/// fn sender(mailer: State<Mailer>) -> &'static str {
///     mailer.from_address()
/// }
/// ```
pub struct State<S>(Arc<S>);

impl<S: Send + Sync + 'static> State<S> {
    /// The value, if the worker has one. Workers check at start that they do.
    pub(crate) fn find(cx: JobCx<'_>) -> Option<Self> {
        let found = cx.cell.states.get(&std::any::TypeId::of::<S>())?;
        Arc::clone(found).downcast().ok().map(State)
    }

    /// A state for calling a function outside a worker.
    pub fn new(value: S) -> Self {
        State(Arc::new(value))
    }
}

impl<S> Clone for State<S> {
    fn clone(&self) -> Self {
        State(Arc::clone(&self.0))
    }
}

impl<S> Deref for State<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

/// The job that a body runs in.
#[derive(Clone)]
pub struct JobContext {
    pub(super) cell: Arc<RunCell>,
}

impl JobContext {
    pub(crate) fn new(cx: JobCx<'_>) -> Self {
        JobContext {
            cell: Arc::clone(cx.cell),
        }
    }

    /// The job's id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.cell.info.id
    }

    /// The run's id: the same over retries, suspensions and requeues.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        self.cell.info.run_id
    }

    /// The durable name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.cell.info.name
    }

    /// The queue it was taken from.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.cell.info.queue
    }

    /// The idempotency key.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.cell.info.key.as_deref()
    }

    /// Whose job it is.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.cell.info.tenant.as_deref()
    }

    /// The try this is, from 1. A suspension does not raise it.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.cell.info.attempt
    }

    /// How many tries the job has.
    #[must_use]
    pub fn attempts_max(&self) -> u32 {
        self.cell.info.attempts_max
    }
}
