//! Hooks that make a store fail, and a log that says when to go on.

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::prelude::*;
use jobs_runtime::{StoreHook, Verb};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Lines from all threads of a test, in order; a test can wait for one.
#[derive(Clone)]
pub(crate) struct Log(Arc<watch::Sender<Vec<String>>>);

impl Default for Log {
    fn default() -> Self {
        Log(Arc::new(watch::Sender::new(Vec::new())))
    }
}

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.send_modify(|lines| lines.push(line.into()));
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|other| *other == line).count()
    }

    /// Waits until the line stands there so often.
    pub(crate) async fn saw(&self, line: &str, times: usize) {
        let enough = |lines: &Vec<String>| lines.iter().filter(|l| *l == line).count() >= times;
        let found = self.0.subscribe().wait_for(enough).await.map(|_| ());
        found.unwrap();
    }
}

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
    always: Arc<Mutex<Vec<Verb>>>,
    log: Log,
}

impl Faults {
    pub(crate) fn log(log: &Log) -> Self {
        Faults {
            log: log.clone(),
            ..Faults::default()
        }
    }

    /// Fails the next call of this verb; several plans are used up in order.
    pub(crate) fn once(self, verb: Verb, fault: Fault) -> Self {
        self.plan.lock().unwrap().push((verb, fault));
        self
    }

    /// Fails every call of this verb from now on.
    pub(crate) fn cut(&self, verb: Verb) {
        self.always.lock().unwrap().push(verb);
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
        self.log.add(format!("store {verb:?}"));
        if self.always.lock().unwrap().contains(&verb) || self.take(verb, Fault::Before) {
            return Err(Error::driver_unavailable("test", "cut off", "wait"));
        }
        Ok(())
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        match self.take(verb, Fault::After) {
            true => Err(Error::outcome_unknown("test", "the answer was lost")),
            false => Ok(()),
        }
    }
}

/// A store in memory under a clock that stands still, for real workers.
pub(crate) fn memory() -> (Jobs, VirtualClock) {
    let clock = VirtualClock::default();
    let env = Env::new(clock.clone(), SeededEntropy::new(3));
    let driver = jobs_runtime::drivers::memory::Memory::new(env.clone());
    (Jobs::with_driver(driver, env), clock)
}

/// Ends a test that hangs; real time, and never reached by a test that passes.
pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work)
        .await
        .unwrap()
}
