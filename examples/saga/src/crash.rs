//! The crash that was asked for: this process kills itself as `kill -9` would, at a given place.

use rustix::process::{Signal, getpid, kill_process};

/// Where to crash, if anywhere.
#[derive(Clone, Default)]
pub(crate) struct Crash {
    /// Once this step's record is durable.
    pub(crate) after: Option<String>,
    /// In this step's body: its effect is done, its record is not.
    pub(crate) inside: Option<String>,
}

impl Crash {
    /// A step's effect was done.
    pub(crate) fn performed(&self, step: &str) {
        if self.inside.as_deref() == Some(step) {
            kill_myself();
        }
    }

    /// A step's record is durable.
    pub(crate) fn stored(&self, step: &str) {
        if self.after.as_deref() == Some(step) {
            kill_myself();
        }
    }
}

/// Does not return. The signal may take a moment to reach this thread, in which it must do nothing.
fn kill_myself() -> ! {
    // A process may always send a signal to itself, so there is no error to handle.
    let _ = kill_process(getpid(), Signal::KILL);
    loop {
        std::thread::park();
    }
}
