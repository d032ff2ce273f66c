//! A saga: a trip of three bookings, all of it or nothing, from a SQLite file.
//!
//! This file is the arguments and the wiring. The job is in `trip`, what its steps do in `agency`.

mod agency;
mod crash;
mod trip;

use clap::Parser;
use crash::Crash;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::prelude::*;
use jobs_runtime::{Handle, RunEvent};
use std::path::PathBuf;
use std::time::Duration;
use trip::{Outcome, Trip, book_trip};

/// Books two trips with a durable job; the second is refused at its last part, and undone.
///
/// Without arguments this happens in a temporary folder. To see a trip survive its process:
///
///   saga --db trips.db --crash-after cancel:hotel
///   saga --db trips.db
#[derive(Parser)]
#[command(verbatim_doc_comment)]
struct Args {
    /// Keep the store in this file, and what was done for the trips in FILE.ledger
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Book only the trip with this number
    #[arg(long, value_name = "TRIP", value_parser = ["T-1", "T-2"])]
    trip: Option<String>,
    /// Kill this process with signal 9 once the record of STEP is durable
    #[arg(long, value_name = "STEP", requires = "db")]
    crash_after: Option<String>,
    /// Kill this process in the body of STEP, when its effect is done and its record is not
    #[arg(
        long,
        value_name = "STEP",
        requires = "db",
        conflicts_with = "crash_after"
    )]
    crash_inside: Option<String>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let folder = tempfile::tempdir()?;
    let store = args.db.unwrap_or_else(|| folder.path().join("trips.db"));
    let ledger = PathBuf::from(format!("{}.ledger", store.display()));
    let crash = Crash {
        after: args.crash_after,
        inside: args.crash_inside,
    };

    let jobs = Jobs::connect(&format!("sqlite://{}", store.display())).await?;
    let mut handles = Vec::new();
    for trip in trips().filter(|trip| args.trip.as_ref().is_none_or(|only| *only == trip.id)) {
        handles.push((trip.id.clone(), place(&jobs, trip).await?));
    }

    let mut outcomes = Ok(Vec::new());
    let watcher = crash.clone();
    jobs.worker()
        // One at a time keeps the lines of a trip together.
        .concurrency(1)
        .poll_interval(Duration::from_millis(50))
        .state(agency::Agency::new(ledger, crash))
        .observe(move |_, event| {
            if let RunEvent::StepStored { step, .. } = event {
                watcher.stored(step);
            }
        })
        .run_until(async { outcomes = wait_for_all(&jobs, handles).await })
        .await?;
    for (id, outcome) in outcomes? {
        match outcome {
            Outcome::Booked => println!("{id} is booked"),
            Outcome::Cancelled { because } => println!("{id} is cancelled: {because}"),
        }
    }
    jobs.close().await;
    Ok(())
}

fn trips() -> impl Iterator<Item = Trip> {
    let trips = [("T-1", "Lisbon"), ("T-2", "Venice")];
    trips.into_iter().map(|(id, town)| Trip {
        id: id.to_owned(),
        town: town.to_owned(),
    })
}

/// Enqueues a trip that has no job yet. A live job would be found by its key; the key of one that
/// has ended is free, so this program, which books the same trips at every start, looks first.
async fn place(jobs: &Jobs, trip: Trip) -> Result<Handle<book_trip>> {
    let filter = JobFilter {
        name: Some(book_trip::def().name.into()),
        key: book_trip::key(&trip),
        ..JobFilter::default()
    };
    let page = jobs.admin().list(&filter, None, 1).await?;
    Ok(match page.jobs.first() {
        Some(job) => Handle::of(job.spec.id, job.spec.run_id),
        None => book_trip(trip).enqueue(jobs).await?,
    })
}

async fn wait_for_all(
    jobs: &Jobs,
    handles: Vec<(String, Handle<book_trip>)>,
) -> Result<Vec<(String, Outcome)>> {
    let mut outcomes = Vec::with_capacity(handles.len());
    for (id, handle) in handles {
        outcomes.push((id, jobs.wait(&handle).await?));
    }
    Ok(outcomes)
}
