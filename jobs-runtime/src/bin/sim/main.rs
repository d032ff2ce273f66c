//! `sim`: runs seeds of the simulator, and says which of them broke a promise.
//!
//! A program of its own, because the jobs of the crash harness write in transactions, and the store
//! of the simulator has none.

mod planted;
mod ticks;

use jobs_runtime::torture::Bug;
use jobs_runtime::torture::ledger;
use jobs_runtime::torture::seeded::plant;
use jobs_runtime::torture::sim::batch::{Finding, Summary, run_seeds};
use jobs_runtime::torture::sim::{Options, run};
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How it is called.
const USAGE: &str = "\
sim --seeds A..B [--ops N] [--threads T] [--bug NAME] [--trace] [--json] [--ledger] [--mutants] [--ticks N]
    runs the seeds from A to B - 1, of N operations each (200), and checks each run
    --bug NAME  plants a bug, to see whether it is found
    --trace     prints all that happened in each run
    --ledger    adds a line to the ledger
    --mutants   plants each bug in turn, and says how many of the seeds it survives
    --ticks N   instead has five schedulers make so many ticks of two schedules, and counts their jobs";

/// Runs between two words about how far it is.
const PROGRESS_RUNS: u64 = 50;

struct Args {
    seeds: Range<u64>,
    operations: u64,
    threads: usize,
    bug: Option<Bug>,
    trace: bool,
    json: bool,
    ledger: bool,
    mutants: bool,
    ticks: Option<u64>,
}

fn main() -> ExitCode {
    match command() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

/// Runs what was asked for; false if a promise was broken.
///
/// # Errors
/// If it was asked for wrongly.
fn command() -> Result<bool, String> {
    let args = Args::read(std::env::args().skip(1))?;
    let options = Options {
        operations: args.operations,
    };
    if args.mutants {
        return planted::find_all(&args.seeds, &options);
    }
    plant(args.bug);
    if let Some(ticks) = args.ticks {
        return ticks::run(&args, ticks);
    }
    if args.trace {
        print_traces(&args, &options)?;
    }
    let begin = Instant::now();
    let summary = run_seeds(args.seeds.clone(), &options, args.threads, |done| {
        if done.is_multiple_of(PROGRESS_RUNS) {
            say_progress(done, &args, begin.elapsed());
        }
    });
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[2K");
    }
    let passed = begin.elapsed();
    tell(&args, &summary, passed)?;
    if args.ledger {
        ledger::append(&ledger_line(&args, &summary, passed))?;
    }
    Ok(summary.findings.is_empty() && summary.lacking().is_empty())
}

impl Args {
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut args = Args {
            seeds: 0..0,
            operations: 200,
            threads: 1,
            bug: None,
            trace: false,
            json: false,
            ledger: false,
            mutants: false,
            ticks: None,
        };
        while let Some(name) = given.next() {
            let mut value = || given.next().ok_or(format!("{name} wants a value\n{USAGE}"));
            match name.as_str() {
                "--seeds" => args.seeds = range(&value()?)?,
                "--ops" => args.operations = number(&value()?)?,
                "--threads" => args.threads = number(&value()?)?,
                "--bug" => args.bug = Some(value()?.parse()?),
                "--trace" => args.trace = true,
                "--json" => args.json = true,
                "--ledger" => args.ledger = true,
                "--mutants" => args.mutants = true,
                "--ticks" => args.ticks = Some(number(&value()?)?),
                _ => return Err(format!("there is no option {name}\n{USAGE}")),
            }
        }
        if args.seeds.is_empty() {
            return Err(USAGE.into());
        }
        Ok(args)
    }
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text
        .split_once("..")
        .ok_or(format!("\"{text}\" is no range of seeds such as 0..1000"))?;
    Ok(number(first)?..number(end)?)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.replace('_', "")
        .parse()
        .map_err(|_| format!("\"{text}\" is no number that fits here"))
}

fn print_traces(args: &Args, options: &Options) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    for seed in args.seeds.clone() {
        let outcome = run(seed, options).map_err(|error| format!("seed {seed}: {error}"))?;
        for line in outcome.trace() {
            // Whoever reads has seen enough.
            if writeln!(out, "{line}").is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn say_progress(done: u64, args: &Args, passed: Duration) {
    if std::io::stderr().is_terminal() {
        let all = args.seeds.end - args.seeds.start;
        let rate = done as f64 / passed.as_secs_f64();
        eprint!("\r\x1b[2K{done} of {all} runs, {rate:.0} a second");
    }
}

fn tell(args: &Args, summary: &Summary, passed: Duration) -> Result<(), String> {
    if args.json {
        let text = serde_json::to_string(&json(args, summary, passed));
        println!("{}", text.map_err(|error| error.to_string())?);
        return Ok(());
    }
    for Finding { seed, what } in &summary.findings {
        println!("seed {seed}:");
        for words in what {
            println!("{words}");
        }
        let bug = args.bug.map(|bug| format!(" --bug {bug}"));
        println!(
            "again: sim --seeds {seed}..{} --ops {}{} --trace\n",
            seed + 1,
            args.operations,
            bug.unwrap_or_default()
        );
    }
    println!(
        "{} runs ({} of them twice), {} operations, {} s of virtual time in {:.1} s, {:.1} runs a second; {} seeds with findings",
        summary.runs,
        summary.twice,
        summary.operations,
        summary.virtual_time.as_secs(),
        passed.as_secs_f64(),
        summary.runs as f64 / passed.as_secs_f64(),
        summary.findings.len()
    );
    println!("{:#?}", summary.coverage);
    for lack in summary.lacking() {
        println!("shown too little: {lack}");
    }
    Ok(())
}

fn ledger_line(args: &Args, summary: &Summary, passed: Duration) -> serde_json::Value {
    serde_json::json!({
        "harness": "simulator",
        "commit": ledger::commit(),
        "driver": "memory",
        "versions": { "jobs-runtime": env!("CARGO_PKG_VERSION") },
        "seeds": format!("{}..{}", args.seeds.start, args.seeds.end),
        "operations_each": args.operations,
        "bug": args.bug.map(Bug::as_str),
        "trials": summary.runs,
        "twice": summary.twice,
        "violations": summary.findings.len(),
        "operations": summary.operations,
        "seen": summary.coverage,
        "virtual_seconds": summary.virtual_time.as_secs(),
        "seconds": passed.as_secs(),
    })
}

fn json(args: &Args, summary: &Summary, passed: Duration) -> serde_json::Value {
    let findings = summary
        .findings
        .iter()
        .map(|finding| serde_json::json!({ "seed": finding.seed, "what": finding.what }));
    serde_json::json!({
        "seeds": [args.seeds.start, args.seeds.end],
        "operations_each": args.operations,
        "bug": args.bug.map(Bug::as_str),
        "runs": summary.runs,
        "twice": summary.twice,
        "operations": summary.operations,
        "virtual_seconds": summary.virtual_time.as_secs(),
        "seconds": passed.as_secs_f64(),
        "coverage": summary.coverage,
        "lacking": summary.lacking(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
