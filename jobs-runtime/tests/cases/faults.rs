//! What stands between a client and its store, to cut it off or to lose what it says.

use crate::support::{Log, World};
use jobs_runtime::clock::{Clock as _, VirtualClock};
use jobs_runtime::{Error, StoreHook, Verb};
use std::sync::{Arc, Mutex};

/// What a hook does with a call.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// The call never arrives.
    Before,
    /// The call is made and its answer is lost.
    After,
}

/// Fails the next calls of a verb as planned, and logs every call as `store VERB`.
#[derive(Clone, Default)]
pub(crate) struct Faults {
    plan: Arc<Mutex<Vec<(Verb, Fault)>>>,
    cut: Arc<Mutex<Vec<Verb>>>,
    log: Log,
    clock: VirtualClock,
}

impl Faults {
    /// No faults; the calls are logged, and heartbeats also with their time, as `beat MILLIS`.
    pub(crate) fn of(world: &World) -> Self {
        Faults {
            log: world.log.clone(),
            clock: world.clock.clone(),
            ..Faults::default()
        }
    }

    /// Fails the next call of this verb; several plans are used up in order.
    pub(crate) fn once(self, verb: Verb, fault: Fault) -> Self {
        self.plan.lock().unwrap().push((verb, fault));
        self
    }

    /// Fails every call of these verbs from now on.
    pub(crate) fn cut(&self, verbs: &[Verb]) {
        self.cut.lock().unwrap().extend(verbs);
    }

    /// Lets every call through again.
    pub(crate) fn mend(&self) {
        self.cut.lock().unwrap().clear();
    }

    fn take(&self, verb: Verb, fault: Fault) -> bool {
        let mut plan = self.plan.lock().unwrap();
        let next = plan.iter().position(|(planned, _)| *planned == verb);
        match next {
            Some(at) if plan[at].1 == fault => {
                plan.remove(at);
                true
            }
            _ => false,
        }
    }
}

impl StoreHook for Faults {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        let is_cut = self.cut.lock().unwrap().contains(&verb);
        let fails = is_cut || self.take(verb, Fault::Before);
        self.log.add(format!("store {verb:?}"));
        if verb == Verb::Heartbeat {
            self.log.add(format!("beat {}", self.clock.now().0));
        }
        match fails {
            true => Err(Error::driver_unavailable("test", "cut off", "wait")),
            false => Ok(()),
        }
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        match self.take(verb, Fault::After) {
            true => Err(Error::outcome_unknown("test", "the answer was lost")),
            false => Ok(()),
        }
    }
}
