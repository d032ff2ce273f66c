//! The line between one process and the store: calls are late, refused or lost, and so are answers
//! and hints. It hangs on the one wrapper around every call.

use super::tasks::Alarm;
use super::weather::{Climate, Weather};
use crate::clock::{Clock, Sleeping, VirtualClock};
use crate::contract::{WakeUp, WakeUps};
use crate::torture::workload::Choices;
use crate::{Error, StoreHook, Verb};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// Hints that a process may be behind.
const HINTS: usize = 16;

/// The line of one life of a process.
pub(super) struct Line {
    pub(super) process: usize,
    pub(super) climate: Climate,
    pub(super) weather: Arc<Weather>,
    pub(super) time: VirtualClock,
    pub(super) hints: Arc<Hints>,
    /// Closes upon a commit, if it is set for one.
    pub(super) trap: Arc<Alarm>,
    pub(super) choices: Mutex<Choices>,
}

impl Line {
    fn choices(&self) -> MutexGuard<'_, Choices> {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn delay(&self) -> Option<Sleeping> {
        if self.weather.is_calm() {
            return None;
        }
        let mut choices = self.choices();
        if !choices.per_mille(self.climate.late) {
            return None;
        }
        let mean = choices.weighted(
            &[(60, 300), (30, 10_000), (9, 100_000), (1, 2_000_000)],
            300,
        );
        let micros = choices.around(mean);
        drop(choices);
        Some(self.time.sleep(Duration::from_micros(micros)))
    }
}

impl StoreHook for Line {
    fn delay_before(&self, _: Verb) -> Option<Sleeping> {
        self.delay()
    }

    fn before(&self, verb: Verb) -> Result<(), Error> {
        if self.weather.is_calm() {
            return Ok(());
        }
        let now = self.time.monotonic();
        let cut = self.weather.is_store_cut(now)
            || (verb == Verb::Heartbeat && self.weather.is_mute(self.process, now));
        if cut || self.choices().per_mille(self.climate.refused) {
            return Err(Error::driver_unavailable(
                "simulated",
                "it is out of reach",
                "wait",
            ));
        }
        if verb == Verb::Commit {
            self.trap.step_in();
        }
        Ok(())
    }

    fn delay_after(&self, _: Verb) -> Option<Sleeping> {
        // Here the store has just done it, whatever becomes of the answer.
        self.hints.carry(self.climate.deaf, &self.weather);
        self.delay()
    }

    fn after(&self, _: Verb) -> Result<(), Error> {
        let calm = self.weather.is_calm();
        if !calm && self.choices().per_mille(self.climate.unknown) {
            self.weather.lose_answer();
            return Err(Error::outcome_unknown("simulated", "the answer was lost"));
        }
        Ok(())
    }

    fn wake_ups(&self, _: WakeUps) -> WakeUps {
        self.hints.listen(self.process)
    }
}

/// Carries the hints of the store to those processes that are to hear them.
pub(super) struct Hints {
    state: Mutex<Carrier>,
}

struct Carrier {
    from: WakeUps,
    to: Vec<Option<broadcast::Sender<WakeUp>>>,
    choices: Choices,
}

impl Hints {
    pub(super) fn new(from: WakeUps, choices: Choices) -> Self {
        Hints {
            state: Mutex::new(Carrier {
                from,
                to: Vec::new(),
                choices,
            }),
        }
    }

    /// The ear of a process; the one of its last life hears nothing more.
    pub(super) fn attach(&self, process: usize) {
        let mut state = self.lock();
        if state.to.len() <= process {
            state.to.resize(process + 1, None);
        }
        state.to[process] = Some(broadcast::Sender::new(HINTS));
    }

    fn listen(&self, process: usize) -> WakeUps {
        let state = self.lock();
        let ear = state.to.get(process).and_then(Option::as_ref);
        // Nobody is there to send: a receiver that is closed already.
        ear.map_or_else(|| broadcast::channel(1).1, broadcast::Sender::subscribe)
    }

    fn carry(&self, lost_per_mille: u64, weather: &Weather) {
        let mut state = self.lock();
        let lost_per_mille = if weather.is_calm() { 0 } else { lost_per_mille };
        while let Ok(hint) = state.from.try_recv() {
            let Carrier { to, choices, .. } = &mut *state;
            for ear in to.iter().flatten() {
                if !choices.per_mille(lost_per_mille) {
                    // An error says that nobody listens.
                    drop(ear.send(hint));
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Carrier> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
