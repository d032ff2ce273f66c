//! The timetable of a schedule, a task's or one that was made at run time: which of its ticks are made, which are passed over, and what is noted
//! of it. The ticks themselves are computed by whoever knows zones, and given as a function that
//! says which tick comes after an instant; the next one is always asked for from the one before,
//! never from the time of the asking.

mod template;

pub use template::Template;

use super::{JobId, Millis, Timestamp};
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// Missed ticks that `missed = all` makes at most; older ones are passed over.
pub const MISSED_LIMIT_TICKS: usize = 1_000;
/// Ticks that are made in one write.
pub const TICK_LIMIT_BATCH: usize = 100;
/// From then on `missed = skip` calls a tick missed: nobody was there to make it.
pub const MISSED_AFTER: Millis = Millis::secs(60);
/// How long a plan stands before a worker with another one replaces it. Two versions of a program
/// that run side by side would otherwise take turns at every look.
pub const PLAN_STANDS: Millis = Millis::secs(600);
/// Entries of what was passed over that are kept.
pub const SKIPPED_LIMIT: usize = 20;

/// What becomes of ticks that fell due while nobody ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missed {
    /// Each is made, the oldest first, the last [`MISSED_LIMIT_TICKS`] at most.
    All,
    /// The newest is made.
    #[default]
    Last,
    /// None is made.
    Skip,
}

/// What becomes of a tick that falls due while the job of the one before is live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    /// It is made all the same.
    #[default]
    Run,
    /// It is passed over.
    Skip,
}

/// When a task fires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// A cron expression, or `every 15m`.
    pub schedule: String,
    /// The IANA name of the zone whose clock it reads.
    pub zone: String,
    /// What becomes of missed ticks.
    #[serde(default)]
    pub missed: Missed,
    /// What becomes of a tick that meets the one before.
    #[serde(default)]
    pub overlap: Overlap,
}

/// A tick and the job that was made for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The tick.
    pub tick: Timestamp,
    /// The job.
    pub job: JobId,
}

/// Why ticks were passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// Nobody ran when they fell due.
    Missed,
    /// The job of the tick before was live.
    Overlap,
}

/// Ticks that were passed over, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The first.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
    /// Why.
    pub why: Why,
}

/// What is stored of a schedule, in the setting `schedule/<name>`; that of a task is its oldest name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timetable {
    /// When it fires.
    pub plan: Plan,
    /// Since when that is the plan.
    pub planned_at: Timestamp,
    /// The next tick; `None` if there is none for a century.
    pub next: Option<Timestamp>,
    /// The last tick that was made.
    #[serde(default)]
    pub last: Option<Made>,
    /// Somebody stopped it.
    #[serde(default)]
    pub paused: bool,
    /// What was passed over, the newest last.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// What it enqueues, if it was made at run time. Without it, it is a task's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Template>,
}

/// The tick after an instant.
pub type NextTick<'a> = &'a dyn Fn(Timestamp) -> Option<Timestamp>;

/// A tick to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickToMake {
    /// Its instant.
    pub at: Timestamp,
    /// The tick that was made before it.
    pub previous: Option<Timestamp>,
}

impl Timetable {
    /// The prefix of the settings of schedules.
    pub const PREFIX: &'static str = "schedule/";

    /// The timetable of a schedule that is new to the store: what it would have fired before is not
    /// missed.
    #[must_use]
    pub fn new(plan: Plan, now: Timestamp, next: NextTick<'_>) -> Self {
        Timetable {
            next: next(now),
            plan,
            planned_at: now,
            last: None,
            paused: false,
            skipped: Vec::new(),
            job: None,
        }
    }

    /// The timetable as a person sets it, with what it enqueues. Under the same plan it goes on;
    /// under another one it begins now, and stays stopped if it was.
    #[must_use]
    pub fn set(&self, plan: Plan, job: Template, now: Timestamp, next: NextTick<'_>) -> Timetable {
        let table = match self.plan == plan {
            true => self.clone(),
            false => self.replanned(plan, now, next),
        };
        Timetable {
            job: Some(job),
            ..table
        }
    }

    /// Whether a tick is due.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        !self.paused && self.next.is_some_and(|next| next <= now)
    }

    /// The ticks to make now, oldest first, and the timetable after it, in which they are made by
    /// the jobs that `job` says. `is_busy`: the job of the last tick is live.
    #[must_use]
    pub fn fire(
        &self,
        now: Timestamp,
        is_busy: bool,
        next: NextTick<'_>,
        job: impl Fn(Timestamp) -> JobId,
    ) -> (Vec<TickToMake>, Timetable) {
        let Some(first) = self.next.filter(|_| self.is_due(now)) else {
            return (Vec::new(), self.clone());
        };
        let newest = newest(first, now, next);
        let mut after = self.clone();
        let make = self.choose(first, newest, now, is_busy, next);
        match make.first() {
            Some(&made) if made > first => {
                after.skip(first, newest_before(made, first, next), Why::Missed, next);
            }
            None if is_busy => after.skip(first, newest, Why::Overlap, next),
            None => after.skip(first, newest, Why::Missed, next),
            Some(_) => {}
        }
        after.next = next(make.last().copied().unwrap_or(newest));
        let mut previous = self.last.map(|made| made.tick);
        let make: Vec<TickToMake> = make
            .into_iter()
            .map(|at| TickToMake {
                at,
                previous: previous.replace(at),
            })
            .collect();
        if let Some(TickToMake { at, .. }) = make.last() {
            after.last = Some(Made {
                tick: *at,
                job: job(*at),
            });
        }
        (make, after)
    }

    /// Which of the due ticks are made, from `first` to `newest`.
    fn choose(
        &self,
        first: Timestamp,
        newest: Timestamp,
        now: Timestamp,
        is_busy: bool,
        next: NextTick<'_>,
    ) -> Vec<Timestamp> {
        if self.plan.overlap == Overlap::Skip && is_busy {
            return Vec::new();
        }
        let missed = match (self.plan.missed, self.plan.overlap) {
            // Made together they would overlap.
            (Missed::All, Overlap::Skip) => Missed::Last,
            (missed, _) => missed,
        };
        match missed {
            Missed::Skip if now.since(newest) > MISSED_AFTER => Vec::new(),
            Missed::Skip | Missed::Last => [newest].into(),
            Missed::All => {
                let first = last_of(first, newest, MISSED_LIMIT_TICKS, next);
                ticks(first, newest, next).take(TICK_LIMIT_BATCH).collect()
            }
        }
    }

    fn skip(&mut self, first: Timestamp, last: Timestamp, why: Why, next: NextTick<'_>) {
        if let Some(entry) = self.skipped.last_mut()
            && entry.why == why
            && next(entry.last) == Some(first)
        {
            entry.last = last;
            return;
        }
        if self.skipped.len() >= SKIPPED_LIMIT {
            self.skipped.remove(0);
        }
        self.skipped.push(Skipped { first, last, why });
    }

    /// Whether a worker whose definition says `plan` puts it in place now.
    #[must_use]
    pub fn is_to_replan(&self, plan: &Plan, now: Timestamp) -> bool {
        self.plan != *plan && now.since(self.planned_at) >= PLAN_STANDS
    }

    /// The timetable under another plan, which begins now; nothing of it is missed.
    #[must_use]
    pub fn replanned(&self, plan: Plan, now: Timestamp, next: NextTick<'_>) -> Timetable {
        Timetable {
            next: next(self.no_earlier(now)),
            plan,
            planned_at: now,
            ..self.clone()
        }
    }

    /// The same timetable, stopped.
    #[must_use]
    pub fn paused(&self) -> Timetable {
        Timetable {
            paused: true,
            ..self.clone()
        }
    }

    /// The same timetable, going again. What fell due meanwhile was missed, and becomes of it what
    /// the plan says of missed ticks.
    #[must_use]
    pub fn resumed(&self) -> Timetable {
        Timetable {
            paused: false,
            ..self.clone()
        }
    }

    /// Where to look for the next tick from: no tick is made twice, also if a clock went back.
    fn no_earlier(&self, now: Timestamp) -> Timestamp {
        self.last.map_or(now, |made| made.tick.max(now))
    }
}

/// The ticks from `first`, which is one, to `last`.
fn ticks(
    first: Timestamp,
    last: Timestamp,
    next: NextTick<'_>,
) -> impl Iterator<Item = Timestamp> + '_ {
    ::core::iter::successors(Some(first), |at| next(*at)).take_while(move |at| *at <= last)
}

/// The newest tick up to `until`, found in steps that halve: there may be millions.
fn newest(first: Timestamp, until: Timestamp, next: NextTick<'_>) -> Timestamp {
    let is_followed = |at: i64| next(Timestamp(at)).is_some_and(|tick| tick <= until);
    let at = last_where(first.0, until.0, is_followed);
    at.and_then(|at| next(Timestamp(at))).unwrap_or(first)
}

/// The tick before `tick`, which comes after `first`.
fn newest_before(tick: Timestamp, first: Timestamp, next: NextTick<'_>) -> Timestamp {
    newest(first, tick.before(Millis(1)), next)
}

/// The first of the last `count` ticks from `first` to `newest`.
fn last_of(first: Timestamp, newest: Timestamp, count: usize, next: NextTick<'_>) -> Timestamp {
    let more = |at: i64| {
        next(Timestamp(at)).is_some_and(|at| ticks(at, newest, next).nth(count).is_some())
    };
    // The last instant that more than `count` ticks follow: the tick after it is one too many.
    if ticks(first, newest, next).nth(count).is_none() {
        return first;
    }
    let one_too_many = match last_where(first.0, newest.0, more) {
        None => first,
        Some(at) => next(Timestamp(at)).unwrap_or(first),
    };
    next(one_too_many).unwrap_or(newest)
}

/// The last number from `from` to `to` for which `holds`, which holds up to some number and not
/// beyond it.
fn last_where(from: i64, to: i64, holds: impl Fn(i64) -> bool) -> Option<i64> {
    if !holds(from) {
        return None;
    }
    let (mut good, mut bad) = (from, to.saturating_add(1));
    while bad.saturating_sub(good) > 1 {
        let middle = good + (bad - good) / 2;
        match holds(middle) {
            true => good = middle,
            false => bad = middle,
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests;
