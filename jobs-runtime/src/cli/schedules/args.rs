//! The arguments of `schedules`.

use crate::cli::args::StoreArgs;
use crate::core::{Missed, Overlap};
use clap::{Subcommand, ValueEnum};

/// Show the schedules, and make, change, pause or remove them.
#[derive(clap::Args)]
pub(in crate::cli) struct SchedulesArgs {
    #[command(subcommand)]
    pub(super) command: ScheduleCommand,
}

#[derive(Subcommand)]
pub(super) enum ScheduleCommand {
    /// List the schedules, with the last tick and the next five of each
    List(StoreArgs),
    /// Show one schedule: when it fires, what it enqueues, and what it passed over
    Show(ScheduleArgs),
    /// Make a schedule, or change the one of this name
    Set(SetArgs),
    /// Make no more ticks of a schedule until it is resumed
    Pause(ScheduleArgs),
    /// Make ticks again; what becomes of those that fell due meanwhile is said by `missed`
    Resume(ScheduleArgs),
    /// Remove a schedule that was made at run time
    Remove(ScheduleArgs),
    /// Make the ticks of a span of the past that have no job in the store
    Backfill(BackfillArgs),
    /// Enqueue the job of a schedule once, now
    Run(ScheduleArgs),
}

#[derive(clap::Args)]
pub(super) struct ScheduleArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// The name of the schedule
    pub(super) name: String,
}

/// Make a schedule, or change the one of this name.
///
/// Everything is checked before anything is stored. Said again, it changes nothing.
#[derive(clap::Args)]
pub(super) struct SetArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// The name of the schedule
    pub(super) name: String,
    /// A cron expression, as in "0 6 * * mon-fri", or a length of time, as in "every 15m"
    pub(super) when: String,
    /// The IANA name of the zone whose clock it reads
    #[arg(long, default_value = "UTC")]
    pub(super) zone: String,
    /// What becomes of ticks that nobody made in time
    #[arg(long, value_enum, default_value = "last")]
    pub(super) missed: MissedArg,
    /// What becomes of a tick that meets the job before
    #[arg(long, value_enum, default_value = "run")]
    pub(super) overlap: OverlapArg,
    /// The durable name of the job, which this program must define
    #[arg(long)]
    pub(super) job: String,
    /// What each job works on
    #[arg(long, value_name = "JSON", default_value = "null")]
    pub(super) input: String,
    /// Another queue than the job's own
    #[arg(long)]
    pub(super) queue: Option<String>,
    /// Whose job it is
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// From 0, served first, to 9
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(super) priority: Option<u8>,
    /// Another number of tries than the job's own
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) attempts: Option<u32>,
}

/// Make the ticks of a span of the past that have no job in the store.
#[derive(clap::Args)]
pub(super) struct BackfillArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// The name of the schedule
    pub(super) name: String,
    /// An instant, as in 2026-03-01T00:00:00Z, or a date or time in the schedule's zone
    #[arg(long, value_name = "TIME")]
    pub(super) from: String,
    /// The end, which does not count
    #[arg(long, value_name = "TIME")]
    pub(super) until: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum MissedArg {
    /// Each is made
    All,
    /// The newest is made
    Last,
    /// None is made
    Skip,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum OverlapArg {
    /// It is made all the same
    Run,
    /// It is passed over
    Skip,
}

impl From<MissedArg> for Missed {
    fn from(arg: MissedArg) -> Self {
        match arg {
            MissedArg::All => Missed::All,
            MissedArg::Last => Missed::Last,
            MissedArg::Skip => Missed::Skip,
        }
    }
}

impl From<OverlapArg> for Overlap {
    fn from(arg: OverlapArg) -> Self {
        match arg {
            OverlapArg::Run => Overlap::Run,
            OverlapArg::Skip => Overlap::Skip,
        }
    }
}
