//! Choices that follow from a seed: one seed, one sequence, on every machine and in every build.

/// A sequence of choices.
#[derive(Clone, Debug)]
pub struct Choices {
    seed: u64,
    drawn: u64,
}

impl Choices {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Choices { seed, drawn: 0 }
    }

    /// A sequence of its own for a part of a run, so that a choice more in one part leaves the
    /// others as they were.
    #[must_use]
    pub fn of(seed: u64, part: u64) -> Self {
        Choices::new(mix(seed ^ mix(part)))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        mix(self.seed ^ self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// From 0 to `end - 1`; 0 if there is nothing to choose from.
    pub fn below(&mut self, end: u64) -> u64 {
        match end {
            0 => 0,
            end => self.bits() % end,
        }
    }

    /// From `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }

    /// True in so many of a thousand cases.
    pub fn per_mille(&mut self, cases: u64) -> bool {
        self.below(1000) < cases
    }

    /// One of these, each as often as its weight says. The list MUST NOT be empty; the last entry
    /// is taken if no weight is above 0.
    pub fn weighted<T: Copy>(&mut self, of: &[(u64, T)], otherwise: T) -> T {
        let all = of.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(all);
        for (weight, choice) in of {
            if left < *weight {
                return *choice;
            }
            left -= weight;
        }
        otherwise
    }

    /// A span around `mean`: short ones often, long ones seldom, none above ten times the mean.
    pub fn around(&mut self, mean: u64) -> u64 {
        // The exponential distribution, in whole steps of its inverse: no float decides a run.
        let halvings = self.bits().trailing_zeros().min(9) as u64;
        let within = self.below(1000);
        mean * (halvings * 1000 + within) / 1443
    }
}

/// A fixed mixing of 64 bits: the finaliser of SplitMix64.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_one_sequence() {
        let draw = |seed| {
            let mut choices = Choices::new(seed);
            (0..9).map(|_| choices.bits()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn a_weight_of_nothing_is_never_taken() {
        let mut choices = Choices::new(1);
        assert!((0..500).all(|_| choices.weighted(&[(0, 1), (3, 2), (5, 3)], 9) > 1));
    }
}
