//! Crash points: the places at which a process can be told to kill or to stop itself.
//!
//! The points register themselves at link time, so the list of them is the list of those in the
//! code. Whoever starts the process arms one of them through its environment; each process writes
//! down the points it has passed, so that a point that is never reached is seen.

use rustix::process::{Signal, getpid, kill_process};
use rustix::time::{ClockId, clock_gettime};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names the point at which the process ends: `NAME:HIT` to be killed, `NAME:HIT:stop` to stop.
pub const CRASH_VARIABLE: &str = "JOBS_TORTURE_CRASH";
/// Names the file into which the passed points are written.
pub const PASSED_VARIABLE: &str = "JOBS_TORTURE_PASSED";
/// Says until when the process may end at its point: nanoseconds of the machine's monotonic clock.
pub const UNTIL_VARIABLE: &str = "JOBS_TORTURE_UNTIL";

/// How often a process writes down that it has passed one point.
pub const LOGGED_HITS: u32 = 3;

/// A point that is in the program.
pub struct Registered(pub &'static Point);

inventory::collect!(Registered);

/// The names of all crash points, sorted.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let points = inventory::iter::<Registered>();
    let mut names: Vec<&str> = points.map(|point| point.0.name).collect();
    names.sort_unstable();
    names
}

/// A place at which a process can die.
#[derive(Debug)]
pub struct Point {
    name: &'static str,
    hits: AtomicU32,
}

impl Point {
    /// A point of this name that nobody has passed.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Point {
            name,
            hits: AtomicU32::new(0),
        }
    }

    /// Goes past the point, or does not.
    pub fn pass(&self) {
        let hit = self.hits.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(orders) = orders() {
            orders.passed(self.name, hit);
        }
    }
}

/// What a process does at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It is gone, as after `kill -9`.
    Kill,
    /// It stands still until somebody lets it go on.
    Stop,
}

/// Where a process ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The name of the point.
    pub point: String,
    /// At which passage, from 1.
    pub hit: u32,
    /// How.
    pub end: End,
}

impl FromStr for Crash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("\"{text}\" is not NAME:HIT or NAME:HIT:stop");
        let mut parts = text.split(':');
        let point = parts.next().unwrap_or_default();
        let hit = parts.next().and_then(|hit| hit.parse().ok());
        let end = match (parts.next(), parts.next()) {
            (None, None) => End::Kill,
            (Some("stop"), None) => End::Stop,
            _ => return Err(wrong()),
        };
        if !names().contains(&point) {
            return Err(format!("there is no crash point \"{point}\""));
        }
        Ok(Crash {
            point: point.to_owned(),
            hit: hit.filter(|hit| *hit > 0).ok_or_else(wrong)?,
            end,
        })
    }
}

/// What the environment of this process says.
struct Orders {
    crash: Option<Crash>,
    passed: Option<File>,
    until_ns: u64,
}

fn orders() -> Option<&'static Orders> {
    static ORDERS: OnceLock<Option<Orders>> = OnceLock::new();
    // What is wrong with the environment is told by `check_environment`.
    ORDERS.get_or_init(|| read().ok().flatten()).as_ref()
}

/// Whether what the environment says can be followed.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn check_environment() -> Result<(), String> {
    read().map(drop)
}

fn read() -> Result<Option<Orders>, String> {
    let said = |variable| std::env::var(variable).ok().filter(|said| !said.is_empty());
    let crash = said(CRASH_VARIABLE).map(|text| text.parse()).transpose()?;
    let open = |path: String| {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        file.map_err(|error| format!("{path} cannot be written: {error}"))
    };
    let passed = said(PASSED_VARIABLE).map(open).transpose()?;
    let until = |text: String| {
        let number = text.parse();
        number.map_err(|_| format!("\"{text}\" is no number of nanoseconds"))
    };
    let until_ns = said(UNTIL_VARIABLE).map(until).transpose()?;
    let silent = crash.is_none() && passed.is_none();
    Ok((!silent).then_some(Orders {
        crash,
        passed,
        until_ns: until_ns.unwrap_or(u64::MAX),
    }))
}

impl Orders {
    fn passed(&self, name: &str, hit: u32) {
        let crash = self.crash.as_ref();
        let crash = crash.filter(|crash| crash.point == name && crash.hit == hit);
        let crash = crash.filter(|_| self.is_time());
        if hit <= LOGGED_HITS || crash.is_some() {
            // A line that is not written makes the coverage look smaller, and nothing else.
            drop(self.note(name, hit));
        }
        match crash.map(|crash| crash.end) {
            Some(End::Kill) => kill_myself(),
            Some(End::Stop) => {
                let _ = kill_process(getpid(), Signal::STOP);
            }
            None => {}
        }
    }

    fn is_time(&self) -> bool {
        let now = clock_gettime(ClockId::Monotonic);
        let nanos = i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec);
        nanos < i128::from(self.until_ns)
    }

    /// One line in one write: a process that is killed leaves whole lines behind.
    fn note(&self, name: &str, hit: u32) -> io::Result<()> {
        match self.passed.as_ref() {
            Some(mut file) => file.write_all(format!("{name} {hit}\n").as_bytes()),
            None => Ok(()),
        }
    }
}

/// Does not return. The signal may take a moment to reach this thread, in which it does nothing.
fn kill_myself() -> ! {
    // A process may always send a signal to itself, so there is no error to handle.
    let _ = kill_process(getpid(), Signal::KILL);
    loop {
        std::thread::park();
    }
}

/// The two points around a call to a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPoints {
    pub(crate) before: &'static Point,
    pub(crate) after: &'static Point,
}

impl CallPoints {
    pub(crate) fn before(self) {
        self.before.pass();
    }

    pub(crate) fn after(self) {
        self.after.pass();
    }
}

/// The four points in a write of a store.
#[derive(Clone, Copy, Debug)]
#[allow(
    dead_code,
    reason = "a build without SQLite has no driver with writes of its own"
)]
pub(crate) struct WritePoints {
    pub(crate) begun: &'static Point,
    pub(crate) written: &'static Point,
    pub(crate) committed: &'static Point,
    pub(crate) replying: &'static Point,
}

#[allow(
    dead_code,
    reason = "a build without SQLite has no driver with writes of its own"
)]
impl WritePoints {
    pub(crate) fn begun(self) {
        self.begun.pass();
    }

    pub(crate) fn written(self) {
        self.written.pass();
    }

    pub(crate) fn committed(self) {
        self.committed.pass();
    }

    pub(crate) fn replying(self) {
        self.replying.pass();
    }
}

/// A registered point, as an expression.
macro_rules! point {
    ($name:expr) => {{
        static POINT: $crate::torture::points::Point = $crate::torture::points::Point::new($name);
        inventory::submit! { $crate::torture::points::Registered(&POINT) }
        &POINT
    }};
}

/// Goes past a crash point of this name.
macro_rules! crash_point {
    ($name:literal) => {
        $crate::torture::points::point!($name).pass()
    };
}

/// The points before and after a call to a store, by the name of the call.
macro_rules! call_points {
    ($name:literal) => {
        $crate::torture::points::CallPoints {
            before: $crate::torture::points::point!(concat!($name, ".before")),
            after: $crate::torture::points::point!(concat!($name, ".after")),
        }
    };
}

/// The points within a write of a store, by the name of the write.
#[allow(
    unused_macros,
    reason = "a build without SQLite has no driver with writes of its own"
)]
macro_rules! write_points {
    ($name:literal) => {
        $crate::torture::points::WritePoints {
            begun: $crate::torture::points::point!(concat!($name, ".after_begin")),
            written: $crate::torture::points::point!(concat!($name, ".before_commit")),
            committed: $crate::torture::points::point!(concat!($name, ".after_commit")),
            replying: $crate::torture::points::point!(concat!($name, ".before_reply")),
        }
    };
}

pub(crate) use {call_points, crash_point, point, write_points};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_points_have_one_name() {
        let mut names = names();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_crash_is_read_from_text_and_an_unknown_point_refused() {
        let killed = Crash {
            point: "store.claim.before".into(),
            hit: 2,
            end: End::Kill,
        };
        assert_eq!("store.claim.before:2".parse(), Ok(killed.clone()));
        let stopped = Crash {
            end: End::Stop,
            ..killed
        };
        assert_eq!("store.claim.before:2:stop".parse(), Ok(stopped));
        for wrong in ["store.claim.before", "store.claim.before:0", "no.point:1"] {
            assert!(wrong.parse::<Crash>().is_err(), "{wrong}");
        }
    }
}
