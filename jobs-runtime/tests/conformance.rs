//! Every case of the exam on every driver of this crate, one test for each pair, so that a
//! failure names both. The cases themselves are in `src/conformance`.

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::conformance::{Case, cases};
use jobs_runtime::contract::Driver;
use jobs_runtime::drivers::memory::Memory;
#[cfg(feature = "sqlite")]
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use libtest_mimic::{Arguments, Failed, Trial};
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

/// A store that is being made.
type Making = Pin<Box<dyn Future<Output = Result<Fresh, Failed>>>>;

/// A driver under exam: its name in the tests, and how a case gets a fresh store of it.
struct Candidate {
    name: &'static str,
    fresh: fn() -> Making,
}

/// A fresh store, and what must live as long as it.
struct Fresh {
    driver: Arc<dyn Driver>,
    _folder: Option<tempfile::TempDir>,
}

const CANDIDATES: &[Candidate] = &[
    Candidate {
        name: "memory",
        fresh: || Box::pin(async { Ok(memory()) }),
    },
    #[cfg(feature = "sqlite")]
    Candidate {
        name: "sqlite",
        fresh: || Box::pin(sqlite()),
    },
];

fn memory() -> Fresh {
    Fresh {
        driver: Arc::new(Memory::new(env())),
        _folder: None,
    }
}

#[cfg(feature = "sqlite")]
async fn sqlite() -> Result<Fresh, Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("jobs.db");
    let driver = Sqlite::open(&path, SqliteOptions::default().env(env())).await?;
    Ok(Fresh {
        driver: Arc::new(driver),
        _folder: Some(folder),
    })
}

fn env() -> Env {
    Env::new(VirtualClock::default(), SeededEntropy::new(1))
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = CANDIDATES
        .iter()
        .flat_map(|candidate| cases().into_iter().map(|case| trial(candidate, case)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(candidate: &'static Candidate, case: &'static Case) -> Trial {
    let name = format!("{}::{}::{}", candidate.name, case.theme(), case.name());
    Trial::test(name, move || play(candidate, case))
}

fn play(candidate: &Candidate, case: &Case) -> Result<(), Failed> {
    // More than one thread, so that races are races.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let fresh = (candidate.fresh)().await?;
        if !case.fits(fresh.driver.capabilities()) {
            return Ok(());
        }
        let verdict = case.play(fresh.driver.clone()).await;
        fresh.driver.close().await;
        verdict.map_err(Failed::from)
    })
}
