//! One transaction of the writer: items that can fail apart from each other, and the hints that
//! are given out once it is committed.

use super::Shared;
use super::db::Db;
use super::fault::Fault;
use super::sql;
use crate::contract::WakeUp;
use crate::core::Timestamp;
use std::cell::Cell;
use std::ops::Deref;

/// What has happened that somebody may wait for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hints {
    pub(super) ended: bool,
    pub(super) freed: bool,
    pub(super) inbox: bool,
    pub(super) ready: bool,
}

impl Hints {
    pub(super) fn merge(self, other: Hints) -> Hints {
        Hints {
            ended: self.ended || other.ended,
            freed: self.freed || other.freed,
            inbox: self.inbox || other.inbox,
            ready: self.ready || other.ready,
        }
    }

    pub(super) fn wake_ups(self) -> impl Iterator<Item = WakeUp> {
        [
            (self.ended, WakeUp::Ended),
            (self.freed, WakeUp::Freed),
            (self.inbox, WakeUp::Inbox),
            (self.ready, WakeUp::Ready),
        ]
        .into_iter()
        .filter_map(|(happened, wake_up)| happened.then_some(wake_up))
    }
}

/// A write transaction at one instant of the store's clock.
pub(super) struct Tx<'a> {
    db: Db<'a>,
    pub(super) shared: &'a Shared,
    pub(super) now: Timestamp,
    hints: Cell<Hints>,
}

impl<'a> Deref for Tx<'a> {
    type Target = Db<'a>;

    fn deref(&self) -> &Db<'a> {
        &self.db
    }
}

impl<'a> Tx<'a> {
    /// `now` is what the request said, if it said anything. The clock is read here, under the
    /// write lock, so that times rise in the order of the writes.
    pub(super) fn new(db: Db<'a>, shared: &'a Shared, now: Option<Timestamp>) -> Self {
        Tx {
            db,
            shared,
            now: now.unwrap_or_else(|| shared.clock.now()),
            hints: Cell::default(),
        }
    }

    pub(super) fn hint(&self, hint: Hints) {
        self.hints.set(self.hints.get().merge(hint));
    }

    pub(super) fn hints(&self) -> Hints {
        self.hints.get()
    }

    /// Applies one item whole or not at all. A fault that is not the item's own ends the whole
    /// transaction; SQLite may have done so already, and then nothing must be written after it.
    pub(super) fn item<T>(&self, work: impl FnOnce(&Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.run(sql::SAVE, [])?;
        let hints = self.hints.get();
        match work(self) {
            Ok(answer) => {
                self.run(sql::RELEASE, [])?;
                Ok(answer)
            }
            Err(fault) if self.db.has_ended() => Err(fault.that_lost_all()),
            Err(fault) if fault.is_one_items() => {
                self.run(sql::UNDO, [])?;
                self.run(sql::RELEASE, [])?;
                self.hints.set(hints);
                Err(fault)
            }
            Err(fault) => Err(fault),
        }
    }

    /// The next number of a counter.
    pub(super) fn count(&self, counter: &str) -> Result<u64, Fault> {
        self.first(sql::COUNTER_NEXT, [counter], |columns| columns.bits())?
            .ok_or_else(|| Fault::Corrupt(format!("the counter \"{counter}\" is gone")))
    }
}
