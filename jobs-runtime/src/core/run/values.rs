//! What a body may read of time and chance: the same on every replay (R14).

use super::Run;
use crate::core::mix::mix;
use crate::core::{RunId, Timestamp};

impl Run {
    /// The time of the last delivered record; the time of the enqueue before the first (R14).
    #[must_use]
    pub fn recorded_now(&self) -> Timestamp {
        self.got.1
    }

    /// Bits that are the same on every replay: from the run, the last position and a count (R14).
    pub fn recorded_random(&mut self) -> u128 {
        self.draw(0)
    }

    /// The same for the body of a step. It has a count of its own: a recorded body does not run
    /// again, and what it drew must be missed by nobody.
    pub fn body_random(&mut self) -> u128 {
        self.draw(1)
    }

    fn draw(&mut self, stream: u8) -> u128 {
        let count = &mut self.values[usize::from(stream)];
        *count += 1;
        let count = u128::from(*count);
        let mut state = u128::from_le_bytes(*self.seed().as_bytes());
        // A position is the same in every attempt; which one comes next is not, if it failed.
        let got = self.got.0.map_or(0, |position| u128::from(position.0) + 1);
        for word in [got, count, u128::from(stream)] {
            state = mix(state ^ word);
        }
        state
    }

    /// The run that gave what was given last: a fork replays what another run has done, with the
    /// values that the other had.
    fn seed(&self) -> RunId {
        let origin = match self.got.0 {
            None => self.origins.first(),
            Some(last) => self
                .origins
                .binary_search_by_key(&last, |(position, _)| *position)
                .ok()
                .and_then(|at| self.origins.get(at)),
        };
        origin.map_or(self.run, |(_, run)| *run)
    }
}
