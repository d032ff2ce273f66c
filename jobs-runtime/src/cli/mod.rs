//! The command line that every program with jobs has: one line in `main`, and `shop jobs lock`
//! looks at the jobs of `shop`. Here it is decided whether it was asked for, and how it ends; each
//! command is a file.
//!
//! ```no_run
//! use jobs_runtime::prelude::*;
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     jobs_runtime::cli::run_if_asked().await;
//!     let jobs = Jobs::connect("sqlite://jobs.db").await?;
//!     jobs.worker().run().await
//! }
//! ```
//!
//! | command | does |
//! |---|---|
//! | `jobs lock` | writes `jobs.lock`, in which stands what stored runs rely on |
//! | `jobs lock --check` | tells what changed since, which of it is risky, and what to write instead |
//! | `jobs preflight --url ..` | finds open runs in a store that would lose a step under this program |
//! | `jobs graph NAME` | draws the steps of a job, as Mermaid or DOT |
//! | `jobs ls`, `jobs show ID`, `jobs stats`, `jobs dead` | shows what is in a store |
//! | `jobs doctor` | says what is wrong with a store and what to do about it, as [`crate::doctor`] does |
//! | `jobs schedules list`, `show`, `set`, `pause`, `resume`, `remove`, `backfill`, `run` | shows the schedules, and changes them |
//! | `jobs explain ID` | tells why a job does not run just now |
//! | `jobs retry ID`, `jobs requeue ID --from-step STEP`, `jobs cancel ID` | does as [`Admin`](crate::Admin) does |
//! | `jobs bench --store URL` | measures a store by turns with the least work it could do (feature `bench`) |
//!
//! The store of a command is `--url`, or the variable `JOBS_URL`.
//!
//! It ends with 0 if all is well, with 1 if it found what it looks for (a risky change, a run that
//! would lose a step, a store that is not well) or could not do its work, and with 2 if the command cannot be understood. `--json` gives one JSON value
//! instead of lines for people. Colours are for terminals alone, and stored text cannot move the
//! cursor of one.

mod args;
mod bench;
mod doctor;
mod explain;
mod graph;
mod jobs;
mod lock;
mod out;
mod preflight;
mod schedules;
mod store;

use crate::Error;
use args::{Args, Command};
use clap::Parser;
use out::Out;
use std::ffi::OsString;
use std::io::Write;

/// All was well.
pub const OK: u8 = 0;
/// Something was found, or could not be done.
pub const FOUND: u8 = 1;
/// The command cannot be understood.
pub const MISUSED: u8 = 2;

/// The word that asks for this command line in a program of your own.
const WORD: &str = "jobs";

/// Runs the command line if the first argument of the program is `jobs`, and then ends the
/// process. Otherwise it returns at once. Call it first thing in `main`, before anything is
/// opened: the end of the process runs no destructors.
///
/// A program whose arguments already mean something else by `jobs` calls [`run`] instead.
pub async fn run_if_asked() {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    if args.next().is_some_and(|word| word == WORD) {
        let name = std::path::Path::new(&program).file_name();
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        end(run_as(
            &format!("{name} {WORD}"),
            args,
            &mut anstream::stdout(),
            &mut anstream::stderr(),
        )
        .await);
    }
}

/// The whole of a program that is nothing but this command line, such as the binary `jobs`: its
/// first argument is the command.
pub async fn main() {
    let args = std::env::args_os().skip(1);
    end(run_as(WORD, args, &mut anstream::stdout(), &mut anstream::stderr()).await);
}

/// Runs one command. `args` are those after the program's name; colours are written to both
/// streams, so give one that takes them out (`anstream`) where they are not wanted.
///
/// Gives the exit code: [`OK`], [`FOUND`] or [`MISUSED`].
pub async fn run(
    args: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    run_as(WORD, args, out, err).await
}

async fn run_as(
    program: &str,
    args: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let args = std::iter::once(program.into()).chain(args);
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            let text = error.render();
            let text = text.ansi();
            // A closed pipe is nothing to tell anybody about.
            let (_, code) = match error.use_stderr() {
                true => (write!(err, "{text}"), MISUSED),
                false => (write!(out, "{text}"), OK),
            };
            return code;
        }
    };
    let mut out = Out::new(args.json, out);
    match command(args.command, &mut out).await {
        Ok(code) => code,
        Err(error) => {
            out::report(&error, args.json, err);
            FOUND
        }
    }
}

async fn command(command: Command, out: &mut Out<'_>) -> Result<u8, Error> {
    match command {
        Command::Lock(args) => lock::run(&args, out),
        Command::Preflight(args) => preflight::run(&args, out).await,
        Command::Graph(args) => graph::run(&args, out),
        Command::Ls(args) => jobs::ls(&args, out).await,
        Command::Show(args) => jobs::show(&args, out).await,
        Command::Explain(args) => explain::run(&args, out).await,
        Command::Stats(args) => jobs::stats(&args, out).await,
        Command::Doctor(args) => doctor::run(&args, out).await,
        Command::Schedules(args) => schedules::run(&args, out).await,
        Command::Dead(args) => jobs::dead(&args, out).await,
        Command::Retry(args) => jobs::retry(&args, out).await,
        Command::Requeue(args) => jobs::requeue(&args, out).await,
        Command::Cancel(args) => jobs::cancel(&args, out).await,
        Command::Bench(args) => bench::run(&args, out).await,
    }
}

#[allow(
    clippy::exit,
    reason = "the caller asked for a command, and not for what follows"
)]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}
