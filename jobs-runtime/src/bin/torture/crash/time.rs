//! Time that runs faster than the machine's, the same in all processes of a trial: leases, sleeps
//! and back-offs of seconds pass in milliseconds, in the code as it is.

use jobs_runtime::clock::{Clock, Sleeping};
use jobs_runtime::core::Timestamp;
use jobs_runtime::torture::log::Stamps;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A time that began at an instant of the machine and runs so many times as fast.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FastTime {
    /// Nanoseconds of the machine's monotonic clock at which it began.
    began_ns: u64,
    /// What the wall showed then, in milliseconds.
    wall: i64,
    /// The same of the machine's own time, in nanoseconds.
    wall_ns: i128,
    /// Seconds of this time in a second.
    speed: u32,
}

impl FastTime {
    /// Begins now.
    pub(crate) fn begin(speed: u32) -> Self {
        let wall = clock_gettime(ClockId::Realtime);
        let wall_ns = i128::from(wall.tv_sec) * 1_000_000_000 + i128::from(wall.tv_nsec);
        FastTime {
            began_ns: machine_ns(),
            wall: wall.tv_sec.saturating_mul(1000),
            wall_ns,
            speed: speed.max(1),
        }
    }

    /// This time as a server on this machine reckons it, in milliseconds.
    pub(crate) fn of_server(self) -> String {
        format!(
            "({} + (extract(epoch FROM clock_timestamp())::numeric * 1000 - {}) * {})::bigint",
            self.wall,
            self.wall_ns / 1_000_000,
            self.speed
        )
    }

    /// How long it has run, by the machine.
    pub(crate) fn since_begin(self) -> Duration {
        Duration::from_nanos(machine_ns().saturating_sub(self.began_ns))
    }

    /// The instant of the machine's monotonic clock so long after the begin, in nanoseconds.
    pub(crate) fn machine_ns_after(self, span: Duration) -> u64 {
        let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        self.began_ns.saturating_add(nanos)
    }
}

/// The machine's monotonic clock, which all processes share.
fn machine_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let nanos = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    u64::try_from(nanos).unwrap_or(0)
}

impl Clock for FastTime {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.monotonic().as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.wall.saturating_add(passed))
    }

    fn monotonic(&self) -> Duration {
        self.since_begin().saturating_mul(self.speed)
    }

    fn sleep(&self, span: Duration) -> Sleeping {
        Box::pin(tokio::time::sleep(span / self.speed))
    }
}

impl Stamps for FastTime {
    fn stamp(&self) -> (u64, Timestamp) {
        let nanos = u64::try_from(self.monotonic().as_nanos()).unwrap_or(u64::MAX);
        (nanos, self.now())
    }
}
