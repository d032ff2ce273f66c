//! The crash harness: real processes on one SQLite file or one schema of a Postgres server, killed
//! and stopped as a plan says, and what the checker says of their history.
//!
//! This file reads the command line; [`batch`] runs many trials, [`trial`] one, [`fleet`] is its
//! processes, [`process`] is the body of each.

mod args;
mod batch;
mod disturb;
mod fleet;
mod ledger;
mod modes;
mod mutants;
mod place;
mod plan;
mod process;
mod shrink;
mod time;
mod trial;
mod verdict;
mod weather;

use args::Args;
use batch::{Lanes, Sum, Work};
use modes::{HITS, Mode, Plans};
use place::Place;
use plan::Plan;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trial::Terms;

/// What there is, for people.
pub(crate) const USAGE: &str = "\
torture run     --mode MODE --seeds A..B   one trial for each seed
torture sweep   --mode MODE [--hits 3]     each crash point at each of its first passages
torture replay  --plan PLAN [--times 1]    a plan again, as a broken trial printed it
torture shrink  --plan PLAN --promise I2   the smallest plan that still breaks the promise
torture mutants [--trials 500]             how many trials each planted bug survives
torture check   --folder FOLDER            the history of a trial that was kept, again
torture points                             the crash points of this program

modes: random, point, stop, double, group, store, mixed, crowd
also:  --server URL  --disturb COMMAND  --lanes N  --speed N  --chaos-ms N  --heal-ms N  --place FOLDER  --disk
       --bug NAME  --keep  --enough N  --json  --ledger";

const SWITCHES: [&str; 4] = ["disk", "json", "keep", "ledger"];

/// Runs a subcommand of the harness; `None` if it is none. Ok(false) says that a promise broke.
pub(crate) fn command(
    name: &str,
    rest: impl Iterator<Item = String>,
) -> Option<Result<bool, String>> {
    let read = |rest| Args::read(rest, &SWITCHES);
    Some(match name {
        "process" => process::run(&rest.collect::<String>()).map(|()| true),
        "points" => {
            for point in jobs_runtime::torture::points::names() {
                println!("{point}");
            }
            Ok(true)
        }
        "run" => read(rest).and_then(run),
        "sweep" => read(rest).and_then(sweep),
        "replay" => read(rest).and_then(replay),
        "shrink" => read(rest).and_then(shrunk),
        "mutants" => read(rest).and_then(mutate),
        "check" => read(rest).and_then(checked),
        _ => return None,
    })
}

/// What all subcommands take.
struct Common {
    terms: Terms,
    lanes: Lanes,
    json: bool,
    ledger: bool,
    disk: bool,
}

impl Common {
    fn read(args: &mut Args) -> Result<Self, String> {
        let disk = args.switch("disk");
        let place: Option<PathBuf> = args.value("place")?;
        let millis =
            |given: Option<u64>, otherwise| Duration::from_millis(given.unwrap_or(otherwise));
        let terms = Terms {
            place: place.unwrap_or_else(|| default_place(disk)),
            speed: args.value("speed")?.unwrap_or(40),
            chaos: millis(args.value("chaos-ms")?, 400),
            heal: millis(args.value("heal-ms")?, 15_000),
            server: args.value("server")?,
            disturb: args.value("disturb")?,
            bug: args.value("bug")?,
            keep: args.switch("keep"),
        };
        if terms.disturb.is_some() && terms.server.is_none() {
            return Err("--disturb befalls a server: name one with --server URL".into());
        }
        Ok(Common {
            terms,
            lanes: Lanes {
                lanes: args.value("lanes")?.unwrap_or(6),
                enough: args.value("enough")?.unwrap_or(5),
            },
            json: args.switch("json"),
            ledger: args.switch("ledger"),
            disk,
        })
    }

    /// The points that processes on this store can come to.
    fn points(&self) -> Vec<&'static str> {
        let mut points = jobs_runtime::torture::points::names();
        let others: &[&str] = match self.terms.server {
            None => &["driver.postgres."],
            // The job with `tx` steps writes to a file.
            Some(_) => &[
                "driver.sqlite.",
                "driver.postgres.step.",
                "store.transacting.",
            ],
        };
        points.retain(|point| !others.iter().any(|other| point.starts_with(other)));
        points
    }

    fn plans(&self) -> Plans {
        Plans {
            points: self.points(),
            chaos: self.terms.chaos,
            lease: process::LEASE / self.terms.speed.max(1),
        }
    }

    fn tell(&self, mode: Mode, seeds: String, sum: &Sum) -> Result<bool, String> {
        let run = ledger::Run {
            mode: mode.to_string(),
            seeds,
            points: self.plans().points.len(),
            speed: self.terms.speed,
            disk: self.disk,
            server: self.terms.server.is_some(),
            bug: self.terms.bug.clone(),
        };
        let line = ledger::line(&run, sum);
        if self.ledger {
            jobs_runtime::torture::ledger::append(&line)?;
        }
        if self.json {
            println!("{line}");
        } else {
            show(sum, &self.plans().points);
        }
        for report in &sum.broken {
            eprintln!("\nbroken in {}:", report.folder.display());
            for (promise, what) in &report.verdict.broken {
                eprintln!("  {promise}: {what}");
            }
            eprintln!("  torture replay --plan '{}'", report.plan.text());
        }
        for why in sum.void.iter().take(5) {
            eprintln!("void: {why}");
        }
        let thin = sum.thin(mode);
        for what in &thin {
            eprintln!("too little to see: {what}");
        }
        let whole = sum.void.is_empty() && sum.missed.is_empty() && thin.is_empty();
        Ok(sum.broken.is_empty() && whole)
    }
}

/// In memory, because a process that is killed loses nothing that the kernel has; on a disk, to
/// see what waiting for it changes.
fn default_place(disk: bool) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = match !disk && memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    };
    base.join(format!("jobs-torture-{}", std::process::id()))
}

fn run(mut args: Args) -> Result<bool, String> {
    let common = Common::read(&mut args)?;
    let mode = args.value("mode")?.unwrap_or(Mode::Mixed);
    let seeds: String = args
        .value("seeds")?
        .ok_or("say which seeds: --seeds 0..100")?;
    args.end()?;
    let work = Work::Seeds(range(&seeds)?);
    let sum = batch::run(&common.plans(), mode, &work, &common.terms, &common.lanes);
    common.tell(mode, seeds, &sum)
}

fn sweep(mut args: Args) -> Result<bool, String> {
    let common = Common::read(&mut args)?;
    let mode = args.value("mode")?.unwrap_or(Mode::Point);
    let hits = args.value("hits")?.unwrap_or(HITS);
    let seed = args.value("seed")?.unwrap_or(0);
    let only: Option<String> = args.value("only")?;
    args.end()?;
    if !mode.is_at_points() {
        return Err(format!("mode {mode} hits nobody at a crash point"));
    }
    let plans = common.plans();
    let wanted = |point: &&str| only.as_ref().is_none_or(|only| point.contains(only));
    let points = plans.points.iter().copied().filter(wanted).collect();
    let work = Work::Points(points, hits, seed);
    let sum = batch::run(&plans, mode, &work, &common.terms, &common.lanes);
    common.tell(mode, format!("sweep of {hits} from {seed}"), &sum)
}

fn replay(mut args: Args) -> Result<bool, String> {
    let common = Common::read(&mut args)?;
    let plan = plan(&mut args)?;
    let times = args.value("times")?.unwrap_or(1);
    args.end()?;
    let mut broken = 0;
    for time in 0..times {
        let report = trial::run(&plan, &common.terms, &format!("replay-{time}"))?;
        broken += u64::from(!report.verdict.is_clean());
        println!("{}: {:?}", report.folder.display(), report.struck);
        for (promise, what) in &report.verdict.broken {
            println!("  {promise}: {what}");
        }
    }
    println!("{broken} of {times} broken");
    Ok(broken == 0)
}

fn checked(mut args: Args) -> Result<bool, String> {
    let common = Common::read(&mut args)?;
    let folder: PathBuf = args.value("folder")?.ok_or("say which: --folder FOLDER")?;
    args.end()?;
    let place = Place::of(&folder, common.terms.server.as_deref());
    let verdict = verdict::of(&folder, place.file(), Vec::new(), &common.terms)?;
    for (promise, what) in &verdict.broken {
        println!("{promise}: {what}");
    }
    Ok(verdict.is_clean())
}

fn shrunk(mut args: Args) -> Result<bool, String> {
    let common = Common::read(&mut args)?;
    let plan = plan(&mut args)?;
    let promise: String = args.value("promise")?.ok_or("say which: --promise I2")?;
    args.end()?;
    let tell = |plan: &Plan| eprintln!("smaller: {}", plan.text());
    let plan = shrink::shrink(&plan, &promise, &common.terms, tell)?;
    println!("torture replay --plan '{}'", plan.text());
    Ok(true)
}

fn mutate(mut args: Args) -> Result<bool, String> {
    let mut common = Common::read(&mut args)?;
    let trials = args.value("trials")?.unwrap_or(500);
    args.end()?;
    let only = common.terms.bug.take();
    mutants::run(
        &common.plans(),
        &common.terms,
        &common.lanes,
        trials,
        only.as_deref(),
    )
}

fn plan(args: &mut Args) -> Result<Plan, String> {
    let text: String = args.value("plan")?.ok_or("say which: --plan '{…}'")?;
    Plan::read(&text)
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("\"{text}\" is no range of seeds: write 0..100");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    Ok(number(from)?..number(to)?)
}

fn show(sum: &Sum, points: &[&str]) {
    println!(
        "{} trials in {:.1} s ({:.2} s each): {} kills, {} stops, {} broken, {} void",
        sum.trials,
        sum.took.as_secs_f64(),
        sum.mean().as_secs_f64(),
        sum.kills,
        sum.stops,
        sum.broken.len(),
        sum.void.len()
    );
    if sum.disturbed > 0 {
        println!("the server was disturbed {} times", sum.disturbed);
    }
    println!(
        "crash points: {} of {} passed, {} struck",
        sum.passed.len(),
        points.len(),
        sum.struck.len()
    );
    let unpassed: Vec<&str> = points
        .iter()
        .copied()
        .filter(|point| !sum.passed.contains(*point))
        .collect();
    if !unpassed.is_empty() {
        println!("never passed: {}", unpassed.join(", "));
    }
    if !sum.missed.is_empty() {
        println!("never struck: {}", sum.missed.join(", "));
    }
    for (name, count) in &sum.seen {
        println!("  {name}: {count}");
    }
}
