//! The first look at `jobs`: orders are sold from a SQLite file, and survive `kill -9`.
//!
//! This file is the arguments and the wiring. The job is in `order`, what its steps do in `shop`.

mod crash;
mod files;
mod intake;
mod order;
mod orders;
mod provider;
mod shop;
mod show;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use crash::Crash;
use files::Files;
use jobs_runtime::RunEvent;
use jobs_runtime::core::RecordKind;
use jobs_runtime::prelude::*;
use order::sell;
use shop::Shop;
use show::Show;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Sells a few orders with a durable job, and shows each step as it happens.
///
/// Without arguments the orders that come with the program are sold from a SQLite file in a
/// temporary folder. To see one survive its process:
///
///   quickstart --db orders.db --crash-after payment
///   quickstart --db orders.db
#[derive(Parser)]
#[command(verbatim_doc_comment)]
struct Args {
    /// Keep the store in this file, and what was done for the orders in FILE.effects
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Sell the orders of this JSON file
    #[arg(long, value_name = "FILE")]
    orders: Option<PathBuf>,
    /// Kill this process with signal 9 once the record of STEP is durable
    #[arg(long, value_name = "STEP", requires = "db", value_parser = steps(|_| true))]
    crash_after: Option<String>,
    /// Kill this process in the body of STEP, when its effect is done and its record is not
    #[arg(long, value_name = "STEP", requires = "db", conflicts_with = "crash_after",
        value_parser = steps(|kind| kind == RecordKind::Step))]
    crash_inside: Option<String>,
}

/// The steps of the job, as its definition lists them.
fn steps(which: impl Fn(RecordKind) -> bool) -> PossibleValuesParser {
    let steps = sell::def().steps.iter();
    PossibleValuesParser::new(steps.filter(|step| which(step.kind)).map(|step| step.name))
}

#[tokio::main]
async fn main() -> ExitCode {
    // `quickstart jobs lock --check` and its kind; returns at once for everything else.
    jobs_runtime::cli::run_if_asked().await;
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            show::report(&failure);
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<()> {
    // The whole file is checked before anything is written.
    let orders = orders::read(args.orders.as_deref())?;
    let files = Files::of(args.db.as_deref())?;
    let show = Arc::new(Show::new(orders.iter().map(|listed| &listed.order)));
    show.place(&files);
    let crash = Crash {
        after: args.crash_after,
        inside: args.crash_inside,
        show: Arc::clone(&show),
    };

    let jobs = Jobs::connect(&files.url()).await?;
    let placed = intake::place(&jobs, orders, &show).await?;

    let mut ended = Ok(((), Vec::new()));
    let watcher = crash.clone();
    jobs.worker()
        .name(format!("quickstart-{}", std::process::id()))
        // One at a time keeps the lines of an order together, and no other body is cut off by a
        // crash. A service takes the default.
        .concurrency(1)
        .poll_interval(Duration::from_millis(100))
        .state(Shop::new(files.effects.clone(), crash))
        .observe(move |run, event| {
            watcher.show.event(run, event);
            if let RunEvent::StepStored { step, .. } = event {
                watcher.stored(step, show::order_of(run));
            }
        })
        .run_until(async {
            ended = tokio::try_join!(
                provider::confirm_payments(&jobs, &placed, &show),
                intake::outcomes(&jobs, &placed),
            );
        })
        .await?;
    let ((), outcomes) = ended?;
    jobs.close().await;
    match placed.iter().all(|order| order.ended) {
        true => show.done_before(&outcomes),
        false => show.done(&outcomes, &files),
    }
    Ok(())
}
