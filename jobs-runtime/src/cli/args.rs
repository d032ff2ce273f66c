//! The arguments, as clap reads them and as `--help` explains them.

use clap::{Parser, Subcommand};
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
