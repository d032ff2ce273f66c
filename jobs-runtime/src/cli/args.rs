//! The arguments, as clap reads them and as `--help` explains them.

use super::schedules::SchedulesArgs;
use crate::bench::BenchArgs;
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Looks at the jobs of this program, and at those in a store.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
pub(super) struct Args {
    /// Give one JSON value instead of lines for people
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Write down what stored runs rely on, or tell what changed about it
    Lock(LockArgs),
    /// Find open runs in a store that would lose a step under this program
    Preflight(PreflightArgs),
    /// Draw the steps of a job
    Graph(GraphArgs),
    /// List the jobs in a store, newest first
    Ls(LsArgs),
    /// Show one job: where it stands, and its steps
    Show(JobArgs),
    /// Tell why a job does not run just now
    Explain(JobArgs),
    /// Count jobs by queue
    Stats(StoreArgs),
    /// Say what is wrong with a store, and what to do about it
    Doctor(DoctorArgs),
    /// Show the schedules, and make, change, pause or remove them
    Schedules(SchedulesArgs),
    /// List the dead letters, newest first
    Dead(DeadArgs),
    /// Give an ended or held job all its attempts again; its completed steps stay
    Retry(JobArgs),
    /// As `retry`, but run again from a step on
    Requeue(RequeueArgs),
    /// End a live job
    Cancel(JobArgs),
    /// Measure a store
    Bench(BenchArgs),
}

/// Write down what stored runs rely on, or tell what changed about it.
///
/// `lock` writes the file, unless a change is risky for runs that have begun: then it tells what to
/// write instead, and `--accept` takes the change all the same. `lock --check` writes nothing, and
/// ends with 1 if a change is risky.
#[derive(clap::Args)]
pub(super) struct LockArgs {
    /// Compare only, and write nothing
    #[arg(long)]
    pub(super) check: bool,
    /// With `--check`: end with 1 as well if the file is merely behind
    #[arg(long, requires = "check")]
    pub(super) strict: bool,
    /// Take risky changes too: no run is open that they hit, or it may be lost
    #[arg(long, conflicts_with = "check")]
    pub(super) accept: bool,
    /// The lock file; `-` is standard input, for `--check` against another branch
    #[arg(long, value_name = "FILE", default_value = "jobs.lock")]
    pub(super) file: PathBuf,
}

/// Find open runs in a store that would lose a step under this program.
///
/// Ends with 1 if it finds one. Nothing is changed, and no step is run.
#[derive(clap::Args)]
pub(super) struct PreflightArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Take the jobs from this lock file, and not from the program
    #[arg(long, value_name = "FILE")]
    pub(super) lock: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(super) struct GraphArgs {
    /// The durable name of a job of this program
    pub(super) name: String,
    /// How to write the picture
    #[arg(long, value_enum, default_value = "mermaid")]
    pub(super) format: GraphFormat,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum GraphFormat {
    /// For Markdown pages that draw Mermaid
    Mermaid,
    /// For Graphviz
    Dot,
}

#[derive(clap::Args)]
pub(super) struct StoreArgs {
    /// The store, as in `sqlite://jobs.db`; without it the variable JOBS_URL says which
    #[arg(long)]
    pub(super) url: Option<String>,
}

/// Say what is wrong with a store, and what to do about it.
///
/// Looks at a store that is refused, too, and makes none that is not there. Ends with 1 if anything
/// is wrong. Nothing is changed.
#[derive(clap::Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
}

#[derive(clap::Args)]
pub(super) struct LsArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Only jobs of this durable name
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Only jobs of this queue
    #[arg(long)]
    pub(super) queue: Option<String>,
    /// Only jobs in this state: pending, running, suspended, done, failed, dead or cancelled
    #[arg(long)]
    pub(super) state: Option<String>,
    /// Only jobs of this tenant
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// Only the job with this idempotency key
    #[arg(long)]
    pub(super) key: Option<String>,
    #[command(flatten)]
    pub(super) page: PageArgs,
}

#[derive(clap::Args)]
pub(super) struct DeadArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(flatten)]
    pub(super) page: PageArgs,
}

#[derive(clap::Args)]
pub(super) struct PageArgs {
    /// How many, from 1 to 1000
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) limit: u16,
    /// Go on after this job, the last of the page before
    #[arg(long, value_name = "ID")]
    pub(super) after: Option<String>,
}

#[derive(clap::Args)]
pub(super) struct JobArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// The id of the job
    pub(super) id: String,
}

#[derive(clap::Args)]
pub(super) struct RequeueArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// The id of the job
    pub(super) id: String,
    /// This step and all that were delivered after it run again
    #[arg(long, value_name = "STEP")]
    pub(super) from_step: Option<String>,
}
