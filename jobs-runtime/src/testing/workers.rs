//! The workers of a bench: set up once, made for each drain.

use crate::Error;
use crate::client::Jobs;
use crate::clock::VirtualClock;
use crate::registry::JobDef;
use crate::worker::{Drain, Worker};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Leases of one drain, unless the bench says otherwise.
const DRAIN_LIMIT_LEASES: usize = 10_000;

type Setup = Arc<dyn Fn(Worker) -> Worker + Send + Sync>;

/// How the workers of a bench are made. Shared with whoever enqueues inline, so that a client that
/// was cloned before the workers were set up runs its jobs on them too.
pub(crate) struct Workers {
    store: Jobs,
    pub(super) clock: VirtualClock,
    state: Mutex<State>,
}

#[derive(Clone)]
struct State {
    setup: Setup,
    limit_leases: usize,
    /// Whose ticks are made.
    tasks: Vec<&'static JobDef>,
    /// The worker of the inline mode, made by the first enqueue: a job that enqueues another one
    /// holds its lease meanwhile.
    inline: Option<Arc<Drain>>,
}

impl Workers {
    pub(super) fn new(store: &Jobs, clock: &VirtualClock) -> Self {
        Workers {
            store: store.clone(),
            clock: clock.clone(),
            state: Mutex::new(State {
                setup: Arc::new(|worker| worker),
                limit_leases: DRAIN_LIMIT_LEASES,
                tasks: Vec::new(),
                inline: None,
            }),
        }
    }

    /// The same, on another view of the store.
    pub(super) fn on(&self, store: &Jobs) -> Self {
        let state = State {
            inline: None,
            ..self.lock().clone()
        };
        Workers {
            store: store.clone(),
            clock: self.clock.clone(),
            state: Mutex::new(state),
        }
    }

    pub(super) fn set_up(&self, setup: impl Fn(Worker) -> Worker + Send + Sync + 'static) {
        let mut state = self.lock();
        state.setup = Arc::new(setup);
        state.inline = None;
    }

    pub(super) fn limit_leases(&self, leases: usize) {
        let mut state = self.lock();
        state.limit_leases = leases;
        state.inline = None;
    }

    pub(super) fn add_task(&self, task: &'static JobDef) {
        self.lock().tasks.push(task);
    }

    /// Where enqueuing only stores.
    pub(super) fn store(&self) -> &Jobs {
        &self.store
    }

    /// A new worker.
    pub(super) fn make(&self) -> Result<Drain, Error> {
        let tasks = self.lock().tasks.clone();
        self.make_with(Some(tasks))
    }

    fn make_with(&self, tasks: Option<Vec<&'static JobDef>>) -> Result<Drain, Error> {
        let state = self.lock().clone();
        let worker = (state.setup)(self.store.worker());
        worker.into_drain(self.clock.clone(), state.limit_leases, tasks)
    }

    /// The worker of the inline mode.
    pub(super) fn inline(&self) -> Result<Arc<Drain>, Error> {
        if let Some(inline) = &self.lock().inline {
            return Ok(Arc::clone(inline));
        }
        // The setup is the user's code: no lock is held while it runs.
        // Ticks are made by the bench, not by an enqueue.
        let made = Arc::new(self.make_with(None)?);
        Ok(Arc::clone(self.lock().inline.get_or_insert(made)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
