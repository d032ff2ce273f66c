//! Every case of the exam on every driver of this crate, one test for each pair, so that a
//! failure names both. The cases themselves are in `src/conformance`.

use jobs_runtime::Error;
use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::conformance::{Case, Transactions, cases};
use jobs_runtime::contract::Driver;
use jobs_runtime::drivers::memory::Memory;
use libtest_mimic::{Arguments, Failed, Trial};
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use tempfile::TempDir;

/// A driver under exam: its name in the tests, and how a case gets a fresh store of it.
struct Candidate {
    name: &'static str,
    fresh: fn() -> Opening,
    /// How its transactions are begun, where it has any.
    transactions: Option<fn() -> Transactions>,
}

/// A store that is being opened, and the folder that lives as long as it.
type Opening = Pin<Box<dyn Future<Output = Result<(Arc<dyn Driver>, Option<TempDir>), Error>>>>;

/// Where a Postgres server is for these tests: `scripts/test` starts one. Without it, the cases
/// are not run on Postgres.
#[cfg(feature = "postgres")]
const POSTGRES: &str = "JOBS_TEST_POSTGRES";

const CANDIDATES: &[Candidate] = &[
    Candidate {
        name: "memory",
        fresh: || Box::pin(async { Ok((Arc::new(Memory::new(env())) as _, None)) }),
        transactions: None,
    },
    #[cfg(feature = "sqlite")]
    Candidate {
        name: "sqlite",
        fresh: || Box::pin(sqlite()),
        transactions: OF_SQLITE,
    },
    #[cfg(feature = "postgres")]
    Candidate {
        name: "postgres",
        fresh: || Box::pin(postgres()),
        transactions: Some(Transactions::of::<jobs_runtime::PostgresTx>),
    },
];

#[cfg(feature = "sqlx-sqlite")]
const OF_SQLITE: Option<fn() -> Transactions> = Some(Transactions::of::<jobs_runtime::SqliteTx>);
#[cfg(all(feature = "sqlite", not(feature = "sqlx-sqlite")))]
const OF_SQLITE: Option<fn() -> Transactions> = None;

#[cfg(feature = "sqlite")]
async fn sqlite() -> Result<(Arc<dyn Driver>, Option<TempDir>), Error> {
    use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
    let unavailable = |error| Error::driver_unavailable("sqlite", error, "make room for it");
    let folder = tempfile::tempdir().map_err(unavailable)?;
    let options = SqliteOptions::default().env(env());
    let store = Sqlite::open(&folder.path().join("jobs.db"), options).await?;
    Ok((Arc::new(store), Some(folder)))
}

/// A schema of its own for each case.
#[cfg(feature = "postgres")]
async fn postgres() -> Result<(Arc<dyn Driver>, Option<TempDir>), Error> {
    use jobs_runtime::clock::{Entropy, SystemEntropy};
    use jobs_runtime::drivers::postgres::Postgres;
    let server = std::env::var(POSTGRES).unwrap_or_default();
    let schema = format!("case_{:x}", SystemEntropy.bits() as u64);
    let url = format!("{server}?schema={schema}&connections=4");
    let store = Postgres::from_url(&url, env()).await?;
    Ok((Arc::new(store), None))
}

/// Whether the store of a candidate can be had here.
fn is_here(candidate: &Candidate) -> bool {
    match candidate.name {
        #[cfg(feature = "postgres")]
        "postgres" => std::env::var(POSTGRES).is_ok(),
        _ => true,
    }
}

fn env() -> Env {
    Env::new(VirtualClock::default(), SeededEntropy::new(1))
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = CANDIDATES
        .iter()
        .filter(|candidate| is_here(candidate))
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
        let (driver, _folder) = (candidate.fresh)().await?;
        if !case.fits(driver.capabilities()) {
            return Ok(());
        }
        let verdict = match candidate.transactions {
            Some(transactions) => case.play_with(driver.clone(), transactions()).await,
            None => case.play(driver.clone()).await,
        };
        driver.close().await;
        verdict.map_err(Failed::from)
    })
}
