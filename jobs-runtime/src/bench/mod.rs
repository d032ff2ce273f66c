//! `jobs bench`: what a store costs, beside the least work that it could do for the same promise.
//!
//! A scenario is measured by turns: the limit, ours, the limit, ours. What counts is the ratio of
//! neighbours in time, because machines differ and are noisy. Here a run of scenarios is put
//! together; what is measured stands in `scenarios` and `limits`, where it happens in `place`, and
//! how it is shown in `report`. No figure is judged here: the tests look at counts, people at
//! ratios.

mod args;
mod counts;
mod jobs;
mod limits;
mod place;
mod report;
mod sample;
mod scenarios;

pub(crate) use args::BenchArgs;

use crate::Error;
use args::Scenario;
use place::Place;
use report::Report;
use scenarios::Size;
use tokio::sync::mpsc;

/// Lines on their way to whoever shows them.
const SAID_LIMIT_LINES: usize = 64;

/// What a run has to tell.
pub(crate) enum Said {
    /// What is being done just now.
    Doing(String),
    /// A line of the answer.
    Line(String),
}

/// Runs the scenarios on threads of their own, as a program would, and passes on what they say.
pub(crate) async fn run(
    args: &BenchArgs,
    url: &str,
    json: bool,
    mut say: impl FnMut(Said),
) -> Result<(), Error> {
    let (to, mut said) = mpsc::channel(SAID_LIMIT_LINES);
    let (args, url) = (args.clone(), url.to_owned());
    let measuring = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| broken(error, "give the process room for threads"))?;
        runtime.block_on(all(&args, &url, json, to))
    });
    while let Some(line) = said.recv().await {
        say(line);
    }
    let ended = measuring.join();
    ended.map_err(|_| {
        broken(
            "a measurement panicked",
            "run it again with RUST_BACKTRACE=1",
        )
    })?
}

async fn all(args: &BenchArgs, url: &str, json: bool, to: mpsc::Sender<Said>) -> Result<(), Error> {
    let place = Place::at(url).await?;
    let size = if args.quick { Size::QUICK } else { Size::FULL };
    let mut report = Report::new(place.name(), json);
    for scenario in args.scenarios() {
        if !scenario.runs_on(&place) {
            continue;
        }
        let measured = rounds(scenario, &place, &size, args, &mut report, &to).await;
        let cleared = place.clear().await;
        measured.and(cleared)?;
    }
    for line in report.table() {
        line_to(&to, line).await;
    }
    Ok(())
}

async fn rounds(
    scenario: Scenario,
    place: &Place,
    size: &Size,
    args: &BenchArgs,
    report: &mut Report,
    to: &mpsc::Sender<Said>,
) -> Result<(), Error> {
    for round in 1..=args.rounds() {
        let doing = format!("{} on {}, round {round}", scenario.name(), place.name());
        // Whoever showed it has gone: the figures are wanted all the same.
        drop(to.send(Said::Doing(doing)).await);
        place.make().await?;
        let limit = limits::measure(scenario, place, size).await?;
        place.clear().await?;
        let ours = scenarios::measure(scenario, place, size).await?;
        place.clear().await?;
        for line in report.add(scenario, round, limit, ours) {
            line_to(to, line).await;
        }
    }
    Ok(())
}

async fn line_to(to: &mpsc::Sender<Said>, line: String) {
    drop(to.send(Said::Line(line)).await);
}

/// An error of the measurement itself.
fn broken(cause: impl std::fmt::Display, fix: &str) -> Error {
    Error::driver_unavailable("bench", cause, fix)
}
