//! What a body may read of time and chance: the same on every replay (R14).

use super::Run;
use crate::core::Timestamp;

impl Run {
    /// The time of the last delivered record; the time of the enqueue before the first (R14).
    #[must_use]
    pub fn recorded_now(&self) -> Timestamp {
        self.got.1
    }

    /// Bits that are the same on every replay: from the run, the last position and a count (R14).
    pub fn recorded_random(&mut self) -> u128 {
        self.values += 1;
        let mut state = u128::from_le_bytes(*self.run.as_bytes());
        // A position is the same in every attempt; which one comes next is not, if it failed.
        let got = self.got.0.map_or(0, |position| u128::from(position.0) + 1);
        for word in [got, u128::from(self.values)] {
            state = mix(state ^ word);
        }
        state
    }
}

/// A fixed mixing of 128 bits (two rounds of the 64-bit finaliser of SplitMix64, crossed).
fn mix(value: u128) -> u128 {
    let half = |mut z: u64| {
        z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let (high, low) = ((value >> 64) as u64, value as u64);
    let low = half(low ^ high.rotate_left(32));
    let high = half(high ^ low);
    (u128::from(high) << 64) | u128::from(low)
}
