//! A store that fails at times: calls that are never made, and answers that are lost.

use super::time::FastTime;
use jobs_runtime::clock::Clock;
use jobs_runtime::torture::workload::Choices;
use jobs_runtime::{Error, StoreHook, Timestamp, Verb};
use std::sync::{Mutex, PoisonError};

/// Calls of a thousand that are never made.
const UNMADE: u64 = 10;
/// Heartbeats of a thousand that are never made.
const UNMADE_BEATS: u64 = 60;
/// Answers of a thousand that are lost.
const LOST: u64 = 30;

/// Between a process and its store.
pub(crate) struct Weather {
    time: FastTime,
    calm_from: Timestamp,
    luck: Mutex<Choices>,
}

impl Weather {
    pub(crate) fn new(time: FastTime, calm_from: Timestamp, luck: Choices) -> Self {
        Weather {
            time,
            calm_from,
            luck: Mutex::new(luck),
        }
    }

    fn strikes(&self, per_mille: u64) -> bool {
        let mut luck = self.luck.lock().unwrap_or_else(PoisonError::into_inner);
        luck.per_mille(per_mille) && self.time.now() < self.calm_from
    }
}

impl StoreHook for Weather {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        let cases = match verb {
            Verb::Heartbeat => UNMADE_BEATS,
            _ => UNMADE,
        };
        match self.strikes(cases) {
            true => Err(Error::driver_unavailable("SQLite", "a bad day", "wait")),
            false => Ok(()),
        }
    }

    fn after(&self, _: Verb) -> Result<(), Error> {
        match self.strikes(LOST) {
            true => Err(Error::outcome_unknown("SQLite", "the answer was lost")),
            false => Ok(()),
        }
    }
}
