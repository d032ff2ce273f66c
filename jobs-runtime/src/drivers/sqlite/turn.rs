//! A fair lock: whoever came first writes first.
//!
//! SQLite has one write lock and no queue for it: a writer that commits and begins again at once
//! would leave the heartbeats to find the gap by luck. Within a process they queue here.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(super) struct Turns {
    line: Mutex<Line>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    next: u64,
    serving: u64,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Turns);

impl Turns {
    /// Waits for all who came before.
    pub(super) fn take(&self) -> Turn<'_> {
        self.stand();
        Turn(self)
    }

    pub(super) fn stand(&self) {
        let mut line = self.lock();
        let ticket = line.next;
        line.next += 1;
        while line.serving != ticket {
            line = self
                .moved
                .wait(line)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn pass(&self) {
        self.lock().serving += 1;
        self.moved.notify_all();
    }

    /// How many stand in line, the one who writes included.
    #[cfg(test)]
    pub(super) fn standing(&self) -> u64 {
        let line = self.lock();
        line.next - line.serving
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.pass();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn who_came_first_is_served_before_who_comes_back() {
        let turns = Turns::default();
        let (sender, order) = mpsc::channel();
        std::thread::scope(|scope| {
            let first = turns.take();
            let (turns, sender) = (&turns, &sender);
            scope.spawn(move || {
                let _turn = turns.take();
                sender.send("the other").unwrap();
            });
            while turns.standing() < 2 {
                std::thread::yield_now();
            }
            drop(first);
            let _turn = turns.take();
            sender.send("the first again").unwrap();
        });
        let served: Vec<_> = order.try_iter().collect();
        assert_eq!(served, ["the other", "the first again"]);
    }
}
