//! What a job of the workload does, made from its seed: a list of acts that a body plays one after
//! another. It is the job's input, so that every replay plays the same.

use super::choices::Choices;
use serde::{Deserialize, Serialize};

/// Most acts of one job.
const MAX_ACTS: u64 = 6;
/// How deep children nest.
pub(crate) const MAX_DEPTH: u8 = 2;
/// A wait that outlasts everything else, so that one whose event was missed shows.
const LONG_WAIT: u64 = 120_000;
/// The keys that events and waits share: few, so that they meet.
pub(crate) const NOTE_KEYS: u64 = 8;
/// The key that goes with another one. Keys that are shared are a circle.
pub(crate) const fn next_key(key: u64) -> u64 {
    match key < NOTE_KEYS {
        true => (key + 1) % NOTE_KEYS,
        false => key + 1,
    }
}

/// Pairs of keys of events that one job waits for, beyond those.
pub(crate) const OWN_PAIRS: u64 = 1 << 20;
/// The keys that jobs of one name share: few, so that they collide.
pub(crate) const JOB_KEYS: u64 = 6;
/// Keys of jobs that come in crowds.
pub(crate) const CROWD_KEYS: u64 = 2;

/// The input of each job of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// All acts follow from it.
    pub seed: u64,
    /// How many jobs are above it; children of the last level have none.
    pub depth: u8,
    /// What it is known by, where its job has a key.
    pub key: u64,
    /// How often it goes on as another run.
    pub pages: u8,
    /// It waits for the events of this key and the next one before all else, and for long.
    #[serde(default)]
    pub awaits: Option<u64>,
}

/// One thing that a body does. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Two steps at once.
    Both(u64),
    /// A child whose end is waited for, with this seed; `true` shares its key with others.
    Child(u64, bool),
    /// A child that goes its own way.
    Detach(u64),
    /// Ends the job for good, seldom.
    Fail,
    /// A step that fails while the attempt is not above this.
    Flaky(u32),
    /// Sleeps.
    Nap(u64),
    /// Waits for an event of this key, and fails without one.
    Need(u64, u64),
    /// Says how far it is.
    Note,
    /// A step that never runs twice.
    Once,
    /// A step that takes so long, beside a sleep of so long: the first wins.
    Race(u64, u64),
    /// Puts the job off from within a step, some times.
    Snooze,
    /// A step that takes too long at times.
    Slow,
    /// A step that publishes an event of this key.
    Tell(u64),
    /// A step that is tried several times.
    Tries,
    /// Waits for events of this key and of the next one at once, for so long.
    Two(u64, u64),
    /// Waits for an event of this key, for so long.
    Wait(u64, u64),
    /// A plain step that takes so long.
    Work(u64),
}

impl Script {
    /// What the body does, in order.
    #[must_use]
    pub fn acts(&self) -> Vec<Act> {
        let mut choices = Choices::of(self.seed, 0xAC75);
        let count = 1 + choices.below(MAX_ACTS).min(choices.below(MAX_ACTS + 2));
        let mut acts: Vec<Act> = (0..count).map(|_| self.act(&mut choices)).collect();
        if let Some(key) = self.awaits {
            acts.insert(0, Act::Two(key, LONG_WAIT));
        }
        acts
    }

    fn act(&self, choices: &mut Choices) -> Act {
        let deeper = u64::from(self.depth < MAX_DEPTH);
        let kind = choices.weighted(
            &[
                (30, 0),
                (8, 1),
                (8, 2),
                (10, 3),
                (10, 4),
                (5, 5),
                (6, 6),
                (6, 7),
                (5, 8),
                (7 * deeper, 9),
                (3 * deeper, 10),
                (3, 11),
                (3, 12),
                (3, 13),
                (4, 14),
                (1, 15),
                (5, 16),
            ],
            0,
        );
        match kind {
            1 => Act::Flaky(1 + choices.weighted(&[(20, 0), (8, 1), (2, 8)], 0)),
            2 => Act::Tries,
            3 => Act::Nap(choices.weighted(&[(3, 300), (5, 2_000), (2, 15_000)], 300)),
            4 => Act::Wait(choices.below(NOTE_KEYS), choices.between(200, 12_000)),
            5 => Act::Need(choices.below(NOTE_KEYS), choices.between(1_000, 15_000)),
            6 => Act::Both(choices.below(1_500)),
            7 => Act::Race(choices.below(3_000), choices.below(4_000)),
            8 => Act::Once,
            9 => Act::Child(choices.bits(), choices.per_mille(400)),
            10 => Act::Detach(choices.bits()),
            11 => Act::Note,
            12 => Act::Snooze,
            13 => Act::Slow,
            14 => Act::Tell(choices.below(NOTE_KEYS)),
            15 => Act::Fail,
            16 => Act::Two(choices.below(NOTE_KEYS), choices.between(1_000, 12_000)),
            _ => Act::Work(choices.weighted(&[(6, 0), (3, 50), (2, 1_500), (1, 8_000)], 0)),
        }
    }

    /// The script of a child.
    pub(crate) fn child(&self, seed: u64, shared: bool) -> Script {
        let own = Choices::of(self.seed, seed).bits();
        // Keys of one depth are never those of another: a job that joins its ancestor is refused.
        let level = u64::from(self.depth + 1) << 60;
        Script {
            seed: own,
            depth: self.depth + 1,
            key: level | if shared { own % JOB_KEYS } else { own >> 8 },
            pages: 0,
            awaits: None,
        }
    }

    /// The script of the next run of a job that goes on.
    pub(crate) fn next_page(&self) -> Script {
        Script {
            seed: Choices::of(self.seed, 0x9A6E).bits(),
            pages: self.pages.saturating_sub(1),
            awaits: None,
            ..*self
        }
    }
}
