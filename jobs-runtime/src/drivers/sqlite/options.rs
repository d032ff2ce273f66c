//! What can be chosen about a store, and the limits of the choice.

use crate::clock::Env;
use std::time::Duration;

/// The largest payload unless another limit is asked for, in bytes.
pub const DEFAULT_PAYLOAD_LIMIT_BYTES: usize = 1024 * 1024;

/// The largest payload limit that can be asked for, in bytes.
pub const MAX_PAYLOAD_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// The shortest time for which a write waits for another process: below it, two busy processes
/// would refuse each other's writes.
pub const MIN_BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The shortest time between two looks for another process's writes.
const MIN_POLL: Duration = Duration::from_millis(5);

/// How to open a store. The defaults keep every promise.
#[derive(Clone)]
pub struct SqliteOptions {
    pub(super) env: Env,
    pub(super) payload_limit_bytes: usize,
    pub(super) busy_timeout: Duration,
    pub(super) poll: Duration,
    pub(super) allow_weak_durability: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        SqliteOptions {
            env: Env::system(),
            payload_limit_bytes: DEFAULT_PAYLOAD_LIMIT_BYTES,
            busy_timeout: MIN_BUSY_TIMEOUT,
            poll: Duration::from_millis(100),
            allow_weak_durability: false,
        }
    }
}

impl SqliteOptions {
    /// Takes time from here instead of from the system.
    #[must_use]
    pub fn env(self, env: Env) -> Self {
        SqliteOptions { env, ..self }
    }

    /// The largest input, output or event, in bytes; at most [`MAX_PAYLOAD_LIMIT_BYTES`].
    #[must_use]
    pub fn payload_limit_bytes(self, bytes: usize) -> Self {
        SqliteOptions {
            payload_limit_bytes: bytes.min(MAX_PAYLOAD_LIMIT_BYTES),
            ..self
        }
    }

    /// How long a write waits while another process writes; at least [`MIN_BUSY_TIMEOUT`].
    #[must_use]
    pub fn busy_timeout(self, busy_timeout: Duration) -> Self {
        SqliteOptions {
            busy_timeout: busy_timeout.max(MIN_BUSY_TIMEOUT),
            ..self
        }
    }

    /// How often to look whether another process has written. Within a process nobody waits for
    /// it.
    #[must_use]
    pub fn poll(self, poll: Duration) -> Self {
        SqliteOptions {
            poll: poll.max(MIN_POLL),
            ..self
        }
    }

    /// Gives up the last commits at a power cut for fewer waits for the disk
    /// (`synchronous = NORMAL`). The file itself stays whole, and a killed process loses nothing.
    #[must_use]
    pub fn allow_weak_durability(self) -> Self {
        SqliteOptions {
            allow_weak_durability: true,
            ..self
        }
    }
}
