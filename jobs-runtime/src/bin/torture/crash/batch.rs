//! Many trials, some at a time, and what they came to together.

use super::modes::{HITS, Mode, Plans, is_once};
use super::plan::{How, Plan};
use super::trial::{self, Report, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Seeds that are tried until a process has come to its point.
const SEEDS_A_POINT: u64 = 24;
/// After so many of them whoever comes to it is hit.
const SEEDS_FOR_ONE: u64 = 3;
/// How far apart the seeds of two tries are.
const NEXT_TRY: u64 = 1_000_000;

/// What a hundred trials show at least, if they show anything.
const LEAST: [(&str, u64); 9] = [
    ("dead_letters", 20),
    ("done", 500),
    ("duplicates_refused", 10),
    ("effects_again", 100),
    ("kills", 100),
    ("lease_losses", 20),
    ("parked", 300),
    ("retries", 200),
    ("wakes_after_park", 20),
];

/// And what they show if they fill limits.
const LEAST_OF_CROWDS: [(&str, u64); 4] = [
    ("done", 5_000),
    ("full_limits", 2_000),
    ("kills", 300),
    ("lease_losses", 100),
];

/// What is to be run.
pub(crate) enum Work {
    /// One plan for each seed.
    Seeds(Range<u64>),
    /// Each of these points at each of so many hits, from this seed on.
    Points(Vec<&'static str>, u32, u64),
}

/// What the trials came to.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    pub(crate) trials: u64,
    pub(crate) kills: u64,
    pub(crate) stops: u64,
    /// How often a server was disturbed.
    pub(crate) disturbed: u64,
    /// Points at which a process was hit.
    pub(crate) struck: BTreeSet<String>,
    /// Points at a passage to which no process came.
    pub(crate) missed: Vec<String>,
    /// Points that were passed by any process.
    pub(crate) passed: BTreeSet<String>,
    /// What the histories show, by name.
    pub(crate) seen: BTreeMap<String, u64>,
    pub(crate) broken: Vec<Report>,
    /// How many trials there were when the first one was broken, that one included.
    pub(crate) found_after: u64,
    /// Trials that could not be run, with the reason.
    pub(crate) void: Vec<String>,
    pub(crate) took: Duration,
    /// Of all trials together.
    trial_time: Duration,
}

/// How trials are run.
pub(crate) struct Lanes {
    pub(crate) lanes: usize,
    /// After so many broken trials no more are begun.
    pub(crate) enough: usize,
}

/// One case: tries until its point was struck, or one try.
struct Case {
    seed: u64,
    point: Option<(&'static str, u32)>,
}

enum News {
    Trial(Result<Box<Report>, String>),
    Missed(String),
}

/// Runs all of it.
pub(crate) fn run(plans: &Plans, mode: Mode, work: &Work, terms: &Terms, how: &Lanes) -> Sum {
    let cases = cases(work);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, news) = mpsc::channel();
    let begun = Instant::now();
    let mut sum = Sum::default();
    std::thread::scope(|scope| {
        for lane in 0..how.lanes.max(1) {
            let (sender, cases, next, stop) = (sender.clone(), &cases, &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { return };
                    let name = format!("{lane}-{index}");
                    case.play(plans, mode, terms, &name, &sender);
                }
            });
        }
        drop(sender);
        let mut progress = Progress::new(cases.len());
        for one in news {
            sum.take(one);
            sum.took = begun.elapsed();
            progress.show(&sum);
            if sum.broken.len() >= how.enough {
                stop.store(true, Ordering::Relaxed);
            }
        }
        progress.end();
    });
    sum
}

fn cases(work: &Work) -> Vec<Case> {
    match work {
        Work::Seeds(seeds) => seeds
            .clone()
            .map(|seed| Case { seed, point: None })
            .collect(),
        Work::Points(points, hits, seed) => {
            let hits = 1..=(*hits).clamp(1, HITS);
            let each = hits.flat_map(|hit| points.iter().map(move |point| (*point, hit)));
            let each = each.filter(|(point, hit)| *hit == 1 || !is_once(point));
            each.zip(*seed..)
                .map(|(point, seed)| Case {
                    seed,
                    point: Some(point),
                })
                .collect()
        }
    }
}

impl Case {
    fn play(
        &self,
        plans: &Plans,
        mode: Mode,
        terms: &Terms,
        name: &str,
        news: &mpsc::Sender<News>,
    ) {
        // Whoever listens does so until all lanes have ended.
        let tell = |one| drop(news.send(one));
        let Some((point, hit)) = self.point else {
            let plan = plans.make(mode, self.seed);
            return tell(News::Trial(trial::run(&plan, terms, name).map(Box::new)));
        };
        for one in 0..SEEDS_A_POINT {
            let seed = self.seed + one * NEXT_TRY;
            let plan = plans.at(mode, seed, (point, hit), one >= SEEDS_FOR_ONE);
            let report = trial::run(&plan, terms, &format!("{name}-{one}"));
            let done = report.as_ref().is_ok_and(|report| met(mode, &plan, report));
            tell(News::Trial(report.map(Box::new)));
            if done {
                return;
            }
        }
        tell(News::Missed(format!("{point}:{hit}")));
    }
}

/// Whether a trial did what its plan is for.
fn met(mode: Mode, plan: &Plan, report: &Report) -> bool {
    let at_points = report.struck.iter().filter(|one| one.point.is_some());
    at_points.count() >= if mode == Mode::Double { 2 } else { 1 } && !plan.blows.is_empty()
}

impl Sum {
    fn take(&mut self, news: News) {
        let report = match news {
            News::Missed(point) => return self.missed.push(point),
            News::Trial(Err(why)) => return self.void.push(why),
            News::Trial(Ok(report)) => report,
        };
        self.trials += 1;
        self.trial_time += report.took;
        self.disturbed += report.disturbed;
        let whole = report.plan.mode != "double"
            || report
                .struck
                .iter()
                .filter(|one| one.point.is_some())
                .count()
                > 1;
        for struck in &report.struck {
            match struck.how {
                How::Kill => self.kills += 1,
                How::Stop(_) => self.stops += 1,
            }
            if whole {
                self.struck.extend(struck.point.clone());
            }
        }
        self.passed.extend(report.passed.iter().cloned());
        for (name, count) in &report.verdict.seen {
            *self.seen.entry(name.clone()).or_default() += count;
        }
        if !report.verdict.is_clean() {
            if self.broken.is_empty() {
                self.found_after = self.trials;
            }
            self.broken.push(*report);
        }
    }

    /// What the trials have shown too little of to say anything, each in a sentence.
    pub(crate) fn thin(&self, mode: Mode) -> Vec<String> {
        let least = match mode {
            Mode::Crowd => &LEAST_OF_CROWDS[..],
            _ => &LEAST[..],
        };
        let less = |(name, per_hundred): &(&str, u64)| {
            let seen = self.seen.get(*name).copied().unwrap_or(0);
            let least = self.trials * per_hundred / 100;
            (seen < least).then(|| format!("{name}: {seen} in {} trials", self.trials))
        };
        least.iter().filter_map(less).collect()
    }

    /// How long one trial took, in the mean.
    pub(crate) fn mean(&self) -> Duration {
        let trials = u32::try_from(self.trials).unwrap_or(u32::MAX);
        self.trial_time / trials.max(1)
    }
}

/// A line on a terminal that says how far it is.
struct Progress {
    cases: usize,
    shown: Option<Instant>,
    terminal: bool,
}

impl Progress {
    fn new(cases: usize) -> Self {
        Progress {
            cases,
            shown: None,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    fn show(&mut self, sum: &Sum) {
        let lately = |shown: Instant| shown.elapsed() < Duration::from_millis(200);
        if !self.terminal || self.shown.is_some_and(lately) {
            return;
        }
        self.shown = Some(Instant::now());
        let mut out = std::io::stderr().lock();
        // A terminal that is gone needs no progress.
        let _ = write!(
            out,
            "\r{} trials for {} cases, {} kills, {} stops, {} broken, {:.0} s \x1b[K",
            sum.trials,
            self.cases,
            sum.kills,
            sum.stops,
            sum.broken.len(),
            sum.took.as_secs_f64()
        );
        let _ = out.flush();
    }

    fn end(&self) {
        if self.terminal {
            eprintln!();
        }
    }
}
