//! Shares: which queue each free slot of a worker is for, where its queues have weights. Priorities
//! are strict within a claim, so that a queue with a share of its own is what a flood of urgent work
//! elsewhere cannot starve.

use alloc::{string::String, vec::Vec};

/// The queues of a worker and what each has had of its share.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    queues: Vec<Share>,
}

#[derive(Clone, Debug)]
struct Share {
    queue: String,
    weight: u32,
    /// Slots that it is behind, times the sum of all weights.
    credit: i64,
}

impl Shares {
    /// A weight of zero counts as one.
    pub fn new(weights: impl IntoIterator<Item = (String, u32)>) -> Self {
        let share = |(queue, weight): (String, u32)| Share {
            queue,
            weight: weight.max(1),
            credit: 0,
        };
        Shares {
            queues: weights.into_iter().map(share).collect(),
        }
    }

    /// Whether there is nothing to share.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// All queues.
    pub fn queues(&self) -> impl Iterator<Item = &str> {
        self.queues.iter().map(|share| share.queue.as_str())
    }

    /// Deals so many slots: over time each queue is given as its weight says, evenly spread, also
    /// if there is only one slot at a time. Each queue stands in the answer once, those that were
    /// given none are left out.
    pub fn deal(&mut self, slots: usize) -> Vec<(String, usize)> {
        let total: i64 = self.queues.iter().map(|it| i64::from(it.weight)).sum();
        let mut dealt: Vec<(String, usize)> = Vec::new();
        for _ in 0..slots {
            for share in &mut self.queues {
                share.credit += i64::from(share.weight);
            }
            // The first of those that are furthest behind.
            let Some(most) = self.queues.iter().map(|it| it.credit).max() else {
                break;
            };
            let Some(share) = self.queues.iter_mut().find(|it| it.credit == most) else {
                break;
            };
            share.credit -= total;
            match dealt.iter_mut().find(|(queue, _)| *queue == share.queue) {
                Some((_, slots)) => *slots += 1,
                None => dealt.push((share.queue.clone(), 1)),
            }
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;

    fn shares() -> Shares {
        Shares::new([("a".to_owned(), 3), ("b".to_owned(), 1)])
    }

    #[test]
    fn many_slots_are_dealt_by_weight() {
        let dealt = shares().deal(8);
        assert_eq!(dealt, [("a".to_owned(), 6), ("b".to_owned(), 2)]);
    }

    #[test]
    fn one_slot_at_a_time_comes_round_to_every_queue() {
        let mut shares = shares();
        let dealt: String = (0..8).map(|_| shares.deal(1).remove(0).0).collect();
        assert_eq!(dealt, "aabaaaba");
    }

    #[test]
    fn without_queues_nothing_is_dealt() {
        assert!(Shares::default().deal(5).is_empty());
    }
}
