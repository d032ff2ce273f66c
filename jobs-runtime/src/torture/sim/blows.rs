//! What happens to processes: blows, drawn one after another, and what ends each of them.

use super::process::Cut;
use crate::torture::workload::Choices;
use std::time::Duration;

/// One thing that is done to a process, or to all.
#[derive(Clone, Copy, Debug)]
pub(super) enum Blow {
    /// A process is killed or stopped in the midst of what it does next.
    Cut(usize, Cut),
    /// The store is out of everybody's reach.
    CutStore(Duration),
    /// A wall clock jumps by so many milliseconds.
    Jump(usize, i64),
    /// A process is killed, and started again after so long.
    Kill(usize, Duration),
    /// The heartbeats of a worker do not arrive.
    Mute(usize, Duration),
    /// A process stands still.
    Pause(usize, Duration),
    /// A stopped process goes on.
    Resume(usize),
    /// A process is started again.
    Start(usize),
    /// A worker is told to stop; it is started again when it has.
    Stop(usize),
}

/// Draws blows.
pub(super) struct Blows {
    choices: Choices,
    workers: usize,
    processes: usize,
    lease: Duration,
}

impl Blows {
    /// Blows for these processes, of which the first are workers with leases of this length.
    pub(super) fn new(choices: Choices, workers: usize, processes: usize, lease: Duration) -> Self {
        Blows {
            choices,
            workers,
            processes,
            lease,
        }
    }

    /// How long until the next blow.
    pub(super) fn pause(&mut self, mean_millis: u64) -> Duration {
        Duration::from_millis(self.choices.around(mean_millis).max(1))
    }

    /// The next blow.
    pub(super) fn draw(&mut self) -> Blow {
        let worker = self.choices.below(self.workers as u64) as usize;
        let any = self.choices.below(self.processes as u64) as usize;
        let kind = self.choices.weighted(
            &[
                (12, 0),
                (10, 1),
                (16, 2),
                (8, 3),
                (8, 4),
                (8, 5),
                (8, 6),
                (30, 7),
                (12, 8),
            ],
            0,
        );
        match kind {
            1 => Blow::Pause(worker, self.leases(5, 50)),
            2 => Blow::Mute(worker, self.leases(5, 30)),
            3 => Blow::CutStore(self.leases(1, 15)),
            4 => Blow::Jump(worker, self.jump()),
            5 => Blow::Stop(worker),
            6 => Blow::Kill(any, self.leases(0, 15)),
            7 => Blow::Cut(worker, self.cut(true)),
            8 => Blow::Cut(any, self.cut(false)),
            _ => Blow::Kill(worker, self.leases(0, 15)),
        }
    }

    fn cut(&mut self, kills: bool) -> Cut {
        let at_commit = self.choices.per_mille(600);
        let most = if at_commit { 3 } else { 12 };
        Cut {
            at_commit,
            polls: self.choices.between(u64::from(!at_commit), most) as u32,
            kills,
            span: if kills {
                self.leases(0, 15)
            } else {
                self.leases(5, 40)
            },
        }
    }

    /// From so many tenths of a lease to so many.
    fn leases(&mut self, least: u64, most: u64) -> Duration {
        let tenths = self.choices.between(least, most);
        self.lease * u32::try_from(tenths).unwrap_or(1) / 10
    }

    fn jump(&mut self) -> i64 {
        let span = self
            .choices
            .weighted(&[(3, 400), (4, 60_000), (3, 86_400_000)], 400);
        let by = self.choices.below(span).cast_signed();
        if self.choices.per_mille(500) { by } else { -by }
    }
}
