//! How bad things are: how often calls fail, for whom the store is out of reach, and how dense the
//! work is. All of it follows from the seed.

use crate::torture::workload::Choices;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What is drawn once for a run. Rates are in calls of a thousand, times in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Climate {
    /// Calls that fail before the store hears of them.
    pub(super) refused: u64,
    /// Calls whose answer is lost.
    pub(super) unknown: u64,
    /// Calls that take a while, on their way there or back.
    pub(super) late: u64,
    /// Hints that are lost.
    pub(super) deaf: u64,
    /// From one act of a client to its next.
    pub(super) client_pause: u64,
    /// From one act of the operator to the next.
    pub(super) operator_pause: u64,
    /// From one blow to the next.
    pub(super) blow_pause: u64,
    /// Runs at a time on one worker.
    pub(super) concurrency: u64,
}

impl Climate {
    /// The climate of a run.
    pub(super) fn of(seed: u64) -> Self {
        let mut choices = Choices::of(seed, 0xC11A);
        Climate {
            refused: choices.weighted(&[(2, 0), (5, 10), (3, 60)], 0),
            unknown: choices.weighted(&[(2, 0), (5, 15), (3, 80)], 0),
            late: choices.weighted(&[(2, 0), (5, 200), (3, 600)], 0),
            deaf: choices.weighted(&[(3, 0), (5, 200), (2, 1000)], 0),
            client_pause: choices.weighted(&[(3, 120), (5, 350), (2, 1_000)], 350),
            operator_pause: choices.weighted(&[(5, 900), (3, 2_500), (2, 10_000)], 2_500),
            blow_pause: choices.weighted(&[(4, 300), (4, 1_200), (2, 5_000)], 1_200),
            concurrency: choices.weighted(&[(2, 1), (5, 4), (3, 12)], 4),
        }
    }
}

/// What changes during a run.
#[derive(Debug, Default)]
pub(super) struct Weather {
    /// No more faults.
    calm: AtomicBool,
    /// Nobody reaches the store before this, in nanoseconds of the run.
    store_back_at: AtomicU64,
    /// The heartbeats of these processes do not arrive before these instants.
    mute_until: Mutex<Vec<Duration>>,
    /// Answers that were lost.
    lost_answers: AtomicU64,
}

impl Weather {
    pub(super) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    pub(super) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    pub(super) fn cut_store(&self, until: Duration) {
        let nanos = u64::try_from(until.as_nanos()).unwrap_or(u64::MAX);
        self.store_back_at.store(nanos, Ordering::Relaxed);
    }

    pub(super) fn is_store_cut(&self, now: Duration) -> bool {
        now.as_nanos() < u128::from(self.store_back_at.load(Ordering::Relaxed))
    }

    pub(super) fn mute(&self, process: usize, until: Duration) {
        let mut mute = self
            .mute_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if mute.len() <= process {
            mute.resize(process + 1, Duration::ZERO);
        }
        mute[process] = until;
    }

    pub(super) fn is_mute(&self, process: usize, now: Duration) -> bool {
        let mute = self
            .mute_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        mute.get(process).is_some_and(|until| now < *until)
    }

    pub(super) fn lose_answer(&self) {
        self.lost_answers.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn lost_answers(&self) -> u64 {
        self.lost_answers.load(Ordering::Relaxed)
    }
}
