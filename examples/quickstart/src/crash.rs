//! The crash that was asked for: this process kills itself as `kill -9` would, at a given place.
//! Nothing is cleaned up, nobody is told; what is not in the store by then is gone.

use crate::show::Show;
use rustix::process::{Signal, getpid, kill_process};
use std::sync::Arc;

/// Where to crash, if anywhere.
#[derive(Clone)]
pub(crate) struct Crash {
    /// Once this step's record is durable.
    pub(crate) after: Option<String>,
    /// In this step's body: its effect is done, its record is not.
    pub(crate) inside: Option<String>,
    pub(crate) show: Arc<Show>,
}

impl Crash {
    /// A step's effect was done.
    pub(crate) fn performed(&self, step: &str, order: &str) {
        if self.inside.as_deref() == Some(step) {
            self.show.crash(order, step, "in its body");
            kill_myself();
        }
    }

    /// A step's record is durable.
    pub(crate) fn stored(&self, step: &str, order: &str) {
        if self.after.as_deref() == Some(step) {
            self.show.crash(order, step, "after it");
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
