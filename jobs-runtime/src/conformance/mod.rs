//! The exam of a driver: every MUST of [`crate::contract`], as cases that run on any store.
//!
//! A case is an async function over a [`Subject`], registered by `case!` where it is written: a
//! new one runs on every driver, and no list is edited. What a store cannot promise is skipped by
//! its [`Capabilities`], never by its name. Durations are virtual: each request carries its time.
//!
//! ```
//! # async fn exam() {
//! use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
//! use jobs_runtime::{conformance, drivers::memory::Memory};
//! use std::sync::Arc;
//!
//! let fresh = || async {
//!     let env = Env::new(VirtualClock::default(), SeededEntropy::new(1));
//!     Ok(Arc::new(Memory::new(env)) as _)
//! };
//! let report = conformance::run(fresh, |case| case.theme() == "lease").await;
//! assert!(report.passed(), "{report}");
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(exam());
//! ```

/// Registers the function of this name in the same module as a case; capabilities after `needs`
/// must all be there for it to run. One that `transacts` needs to know the type of the driver's
/// transactions.
macro_rules! case {
    ($name:ident $(, needs $($flag:ident)+)?) => {
        inventory::submit! {
            $crate::conformance::Case {
                module: module_path!(),
                name: stringify!($name),
                fits: |_capabilities| true $($(&& _capabilities.$flag)+)?,
                transacts: false,
                run: |subject| ::std::boxed::Box::pin($name(subject)),
            }
        }
    };
    ($name:ident, transacts) => {
        inventory::submit! {
            $crate::conformance::Case {
                module: module_path!(),
                name: stringify!($name),
                fits: |capabilities| capabilities.transactional,
                transacts: true,
                run: |subject| ::std::boxed::Box::pin($name(subject)),
            }
        }
    };
}

/// Ends the case unless the condition holds.
macro_rules! check {
    ($condition:expr) => {
        check!($condition, "it does not hold")
    };
    ($condition:expr, $($words:tt)+) => {
        if !$condition {
            return Err($crate::conformance::Failure::here(format!(
                "`{}`: {}",
                stringify!($condition),
                format_args!($($words)+),
            )));
        }
    };
}

/// Ends the case unless both sides are equal.
macro_rules! check_eq {
    ($left:expr, $right:expr) => {
        check_eq!($left, $right, "they differ")
    };
    ($left:expr, $right:expr, $($words:tt)+) => {{
        // A list of one is easier to read as a list.
        #[allow(clippy::cloned_ref_to_slice_refs)]
        let (left, right) = (&$left, &$right);
        if *left != *right {
            return Err($crate::conformance::Failure::here(format!(
                "`{}` is {left:?}, and should be {right:?}: {}",
                stringify!($left),
                format_args!($($words)+),
            )));
        }
    }};
}

mod cancel;
mod chains;
mod children;
mod claim;
mod close;
mod commit;
mod concurrency;
mod dead_letters;
mod enqueue;
mod events;
mod failure;
mod faults;
mod faulty;
mod fencing;
mod follow;
mod fork;
mod holder;
mod hostile;
mod in_transaction;
mod inbox;
mod inspect;
mod joins;
mod journal;
mod keys;
mod lease;
mod life_cycle;
mod limits;
mod prune;
mod replace;
mod requeue;
mod schedule;
mod settings;
mod shapes;
mod stats;
mod subject;
mod suspend;
mod tenants;
mod text;
mod transactions;
mod trees;
mod turns;
mod windows;

pub use failure::{Failure, Result};
pub use subject::Subject;
pub use transactions::Transactions;

use crate::Error;
use crate::contract::{Capabilities, Driver};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How long one case may take on a slow machine, in seconds. Only a hung driver reaches it.
const CASE_LIMIT_SECS: u64 = 120;

/// One behaviour that every driver must show.
#[derive(Clone, Copy)]
pub struct Case {
    module: &'static str,
    name: &'static str,
    fits: fn(&Capabilities) -> bool,
    transacts: bool,
    run: fn(Subject) -> Pin<Box<dyn Future<Output = Result> + Send>>,
}

inventory::collect!(Case);

impl Case {
    /// What it is about: `lease`, `events`.
    #[must_use]
    pub fn theme(&self) -> &'static str {
        self.module.rsplit("::").next().unwrap_or(self.module)
    }

    /// The behaviour, as a sentence.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a store with these capabilities has to show it.
    #[must_use]
    pub fn fits(&self, capabilities: &Capabilities) -> bool {
        (self.fits)(capabilities)
    }

    /// Whether it begins transactions, and so is for [`Case::play_with`] alone.
    #[must_use]
    pub fn transacts(&self) -> bool {
        self.transacts
    }

    /// Plays it on a fresh, empty store.
    ///
    /// # Errors
    /// The first thing that was not as it must be.
    pub async fn play(&self, driver: Arc<dyn Driver>) -> Result {
        self.play_on(Subject::new(driver)).await
    }

    /// The same on a store whose transactions are known.
    ///
    /// # Errors
    /// As [`Case::play`].
    pub async fn play_with(&self, driver: Arc<dyn Driver>, transactions: Transactions) -> Result {
        self.play_on(Subject::new(driver).with(transactions)).await
    }

    async fn outcome(
        &self,
        driver: Arc<dyn Driver>,
        transactions: Option<Transactions>,
    ) -> Outcome {
        let subject = Subject::new(driver.clone());
        let subject = match transactions {
            Some(known) => subject.with(known),
            None => subject,
        };
        match self.play_on(subject).await {
            Ok(()) => {
                driver.close().await;
                Outcome::Passed
            }
            Err(failure) => Outcome::Failed(failure),
        }
    }

    async fn play_on(&self, subject: Subject) -> Result {
        let case = tokio::spawn((self.run)(subject));
        let limit = Duration::from_secs(CASE_LIMIT_SECS);
        match tokio::time::timeout(limit, case).await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(panic)) => Err(Failure::here(format!("the driver panicked: {panic}"))),
            Err(_) => Err(Failure::here(format!(
                "the case did not end within {CASE_LIMIT_SECS} s"
            ))),
        }
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.theme(), self.name)
    }
}

/// Every case that is linked into this program, by theme and name.
#[must_use]
pub fn cases() -> Vec<&'static Case> {
    let mut all: Vec<&'static Case> = inventory::iter::<Case>().collect();
    all.sort_by_key(|case| (case.theme(), case.name));
    all
}

/// Plays every case that `wanted` lets through, each on a store of its own from `fresh`. Those that
/// begin transactions are skipped: see [`run_with`].
pub async fn run<F, M>(fresh: M, wanted: impl Fn(&Case) -> bool) -> Report
where
    M: Fn() -> F,
    F: Future<Output = std::result::Result<Arc<dyn Driver>, Error>>,
{
    examine(fresh, None, wanted).await
}

/// As [`run`], of a driver whose transactions are of a known type: `Transactions::of::<SqliteTx>()`.
pub async fn run_with<F, M>(
    fresh: M,
    transactions: Transactions,
    wanted: impl Fn(&Case) -> bool,
) -> Report
where
    M: Fn() -> F,
    F: Future<Output = std::result::Result<Arc<dyn Driver>, Error>>,
{
    examine(fresh, Some(transactions), wanted).await
}

async fn examine<F, M>(
    fresh: M,
    transactions: Option<Transactions>,
    wanted: impl Fn(&Case) -> bool,
) -> Report
where
    M: Fn() -> F,
    F: Future<Output = std::result::Result<Arc<dyn Driver>, Error>>,
{
    let mut report = Report::default();
    for case in cases().into_iter().filter(|case| wanted(case)) {
        let outcome = match fresh().await {
            Ok(driver) if !case.fits(driver.capabilities()) => Outcome::Skipped,
            Ok(_) if case.transacts && transactions.is_none() => Outcome::Skipped,
            Ok(driver) => case.outcome(driver, transactions).await,
            Err(error) => Outcome::Failed(error.into()),
        };
        report.outcomes.push((case, outcome));
    }
    report
}

/// How one case went.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Something was not as it must be.
    Failed(Failure),
    /// All was as it must be.
    Passed,
    /// The store does not promise it, or how its transactions are begun is not known.
    Skipped,
}

/// How an exam went.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each case and its outcome, in the order of play.
    pub outcomes: Vec<(&'static Case, Outcome)>,
}

impl Report {
    /// Whether at least one case was played and none failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        let any = self
            .outcomes
            .iter()
            .any(|(_, outcome)| matches!(outcome, Outcome::Passed));
        let failed = self
            .outcomes
            .iter()
            .any(|(_, outcome)| matches!(outcome, Outcome::Failed(_)));
        any && !failed
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (case, outcome) in &self.outcomes {
            match outcome {
                Outcome::Failed(failure) => writeln!(f, "FAILED   {case:?}\n  {failure}")?,
                Outcome::Passed => writeln!(f, "passed   {case:?}")?,
                Outcome::Skipped => writeln!(f, "skipped  {case:?}")?,
            }
        }
        Ok(())
    }
}
