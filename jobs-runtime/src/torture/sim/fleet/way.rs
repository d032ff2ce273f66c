//! The way of a fleet to its store, which goes away at once, whatever is under way, and comes back.

use crate::clock::{Clock, Sleeping, VirtualClock};
use crate::torture::workload::Choices;
use crate::{Error, StoreHook, Verb};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the store is away at most.
const LONGEST_RESTART_MILLIS: u64 = 3_000;
/// Calls that take a while, in a thousand, and about how long.
const LATE_PER_MILLE: u64 = 300;
const MEAN_LATE_MICROS: u64 = 20_000;

/// The way of all of them.
#[derive(Clone)]
pub(super) struct Way {
    time: VirtualClock,
    state: Arc<Mutex<WayState>>,
}

/// How it is.
struct WayState {
    choices: Choices,
    calm: bool,
    /// The store is back at this time of the run.
    back_at: Duration,
    failed: u64,
}

impl Way {
    pub(super) fn new(time: VirtualClock, choices: Choices) -> Self {
        Way {
            time,
            state: Arc::new(Mutex::new(WayState {
                choices,
                calm: false,
                back_at: Duration::ZERO,
                failed: 0,
            })),
        }
    }

    /// It goes away for a while.
    pub(super) fn restart_store(&self) {
        let mut state = self.lock();
        let span = Duration::from_millis(state.choices.between(1, LONGEST_RESTART_MILLIS));
        state.back_at = self.time.monotonic() + span;
    }

    /// Nothing fails any more.
    pub(super) fn calm_down(&self) {
        let mut state = self.lock();
        (state.calm, state.back_at) = (true, Duration::ZERO);
    }

    /// Calls that failed, or whose answer was lost.
    pub(super) fn failed(&self) -> u64 {
        self.lock().failed
    }

    /// Whether the store is away; a call then fails.
    fn fails(&self) -> bool {
        let mut state = self.lock();
        let fails = self.time.monotonic() < state.back_at;
        state.failed += u64::from(fails);
        fails
    }

    /// A call may be under way when the store goes away.
    fn delay(&self) -> Option<Sleeping> {
        let mut state = self.lock();
        if state.calm || !state.choices.per_mille(LATE_PER_MILLE) {
            return None;
        }
        let micros = state.choices.around(MEAN_LATE_MICROS);
        Some(self.time.sleep(Duration::from_micros(micros)))
    }

    fn lock(&self) -> MutexGuard<'_, WayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreHook for Way {
    fn delay_before(&self, _: Verb) -> Option<Sleeping> {
        self.delay()
    }

    fn delay_after(&self, _: Verb) -> Option<Sleeping> {
        self.delay()
    }

    fn before(&self, _: Verb) -> Result<(), Error> {
        match self.fails() {
            true => Err(Error::driver_unavailable("simulated", "it starts", "wait")),
            false => Ok(()),
        }
    }

    fn after(&self, _: Verb) -> Result<(), Error> {
        match self.fails() {
            true => Err(Error::outcome_unknown("simulated", "the answer was lost")),
            false => Ok(()),
        }
    }
}
