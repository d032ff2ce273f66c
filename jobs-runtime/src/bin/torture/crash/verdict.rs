//! What the checker says of a trial.

use super::process::log_folder;
use super::trial::Terms;
use crate::paid;
use jobs_runtime::core::Millis;
use jobs_runtime::torture::check::{self, Rules};
use jobs_runtime::torture::log::read_folder;
use jobs_runtime::torture::workload::limits;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// All processes read one clock; a history rounds it.
const CLOCK_SLACK: Millis = Millis(2);
/// How long after its event a run is taken at the latest, as a part of the time in which everything
/// comes to rest: all processes of some trials, and whatever else the machine has to do, share its
/// cores. Three seconds of the machine, unless it is told to be slower.
const WAKE_SHARE_OF_HEAL: u32 = 5;
/// How long a body may go on after the store has said that its lease is lost, by the machine.
const ZOMBIE_GRACE: Duration = Duration::from_millis(500);

/// What is wrong with a trial, if anything.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Promises that were broken: the name of each, and what happened.
    pub(crate) broken: Vec<(String, String)>,
    /// What the history shows, by name: so that trials in which nothing happens are seen.
    pub(crate) seen: BTreeMap<String, u64>,
}

impl Verdict {
    pub(crate) fn is_clean(&self) -> bool {
        self.broken.is_empty()
    }

    pub(crate) fn breaks(&self, promise: &str) -> bool {
        self.broken.iter().any(|(broken, _)| broken == promise)
    }
}

/// Of a trial that came to rest, with the file of its store if it is one.
pub(crate) fn of(
    folder: &Path,
    file: Option<&Path>,
    fallen: Vec<String>,
    terms: &Terms,
) -> Result<Verdict, String> {
    let entries = read_folder(&log_folder(folder)).map_err(|error| error.to_string())?;
    let report = check::check(&entries, &rules(terms));
    let mut verdict = Verdict::default();
    for violation in report.violations {
        let promise = violation.invariant.to_string();
        verdict.broken.push((promise, violation.to_string()));
    }
    let seen = serde_json::to_value(report.coverage).map_err(|error| error.to_string())?;
    for (name, count) in seen.as_object().into_iter().flatten() {
        let count = count.as_u64().unwrap_or(0);
        verdict.seen.insert(name.clone(), count);
    }
    if let Some(file) = file {
        for wrong in paid::check(file, &entries)? {
            verdict.broken.push(("I2".into(), wrong));
        }
    }
    fell(&mut verdict, fallen);
    Ok(verdict)
}

/// Of a trial that did not.
pub(crate) fn restless(
    folder: &Path,
    file: Option<&Path>,
    (fallen, left): (Vec<String>, Vec<String>),
    terms: &Terms,
) -> Result<Verdict, String> {
    let mut verdict = of(folder, file, fallen, terms)?;
    let left = format!("these were never done: {}", left.join("; "));
    verdict.broken.push(("I18".into(), left));
    Ok(verdict)
}

/// Times are the trial's: a second of it is a few milliseconds of a machine that has much to do.
fn rules(terms: &Terms) -> Rules {
    Rules {
        heal_within: Some((terms.heal * terms.speed).into()),
        limits: limits(),
        clock_slack: CLOCK_SLACK,
        claims_may_be_lost: terms.disturb.is_some(),
        ordered_claims: true,
        wake_within: Some((terms.heal / WAKE_SHARE_OF_HEAL * terms.speed).into()),
        zombie_grace: ZOMBIE_GRACE * terms.speed,
        ..Rules::default()
    }
}

fn fell(verdict: &mut Verdict, fallen: Vec<String>) {
    let named = fallen.into_iter().map(|what| ("I18".to_owned(), what));
    verdict.broken.extend(named);
}
