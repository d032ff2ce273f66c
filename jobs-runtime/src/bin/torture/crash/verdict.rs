//! What the checker says of a trial.

use super::process::log_folder;
use jobs_runtime::torture::log::read_folder;
use std::collections::BTreeMap;
use std::path::Path;

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

/// Of a trial that came to rest.
pub(crate) fn of(folder: &Path, fallen: Vec<String>) -> Result<Verdict, String> {
    let entries = read_folder(&log_folder(folder)).map_err(|error| error.to_string())?;
    let _ = entries;
    let mut verdict = Verdict::default();
    fell(&mut verdict, fallen);
    Ok(verdict)
}

/// Of a trial that did not.
pub(crate) fn restless(
    folder: &Path,
    fallen: Vec<String>,
    left: Vec<String>,
) -> Result<Verdict, String> {
    let mut verdict = of(folder, fallen)?;
    let left = format!("these were never done: {}", left.join("; "));
    verdict.broken.push(("I18".into(), left));
    Ok(verdict)
}

fn fell(verdict: &mut Verdict, fallen: Vec<String>) {
    let named = fallen.into_iter().map(|what| ("I18".to_owned(), what));
    verdict.broken.extend(named);
}
