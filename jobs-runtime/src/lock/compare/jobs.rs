//! Jobs that came, went or have another name, and what changed about those that stayed.

use super::names::{likeliest, was_list, without_root};
use super::{Compared, Subject};
use crate::lock::{JobLock, Lock};
use std::collections::BTreeSet;

impl<'a> Compared<'a> {
    pub(super) fn jobs(&mut self) {
        let mut met = BTreeSet::new();
        for (name, old) in &self.old.jobs {
            match answering(self.new, name) {
                Some((today, new)) => {
                    met.insert(today);
                    self.job((name, old), (today, new));
                }
                None => self.job_removed(name, old),
            }
        }
        for (name, new) in &self.new.jobs {
            if !met.contains(name.as_str()) {
                let subject = Subject::job(name, new.place.as_ref());
                self.safe("job_added", &subject, "is new");
            }
        }
    }

    fn job_removed(&mut self, name: &str, old: &JobLock) {
        let candidates = self.new.jobs.iter().filter(|(other, new)| {
            !self.old.jobs.contains_key(*other)
                && !new.was.iter().any(|was| self.old.jobs.contains_key(was))
                && new.krate == old.krate
                && new.input == old.input
                && (new.output == old.output || new.steps.keys().eq(old.steps.keys()))
        });
        let likely = likeliest(name, candidates.map(|(other, _)| other.as_str()));
        let message = "is gone: stored jobs of it wait for ever, because nothing runs them";
        match likely.and_then(|likely| self.new.jobs.get_key_value(likely)) {
            Some((likely, new)) => {
                let subject = Subject {
                    place: new.place.clone(),
                    ..Subject::job(name, None)
                };
                let was = was_list(was_with(new, name).into_iter());
                let remedy = format!(
                    "if it is called \"{likely}\" now, write `{was}` in the `#[job]` of that one"
                );
                self.risky("job_renamed", &subject, message, &remedy);
            }
            None => {
                let subject = Subject::job(name, None);
                let remedy = format!(
                    "keep the job of crate {} until its last stored one has ended, which `jobs preflight` tells; if it has another name now, write `was = [{name:?}]` there",
                    old.krate
                );
                self.risky("job_removed", &subject, message, &remedy);
            }
        }
    }

    fn job(&mut self, (name, old): (&'a str, &'a JobLock), (today, new): (&'a str, &'a JobLock)) {
        let subject = Subject::job(today, new.place.as_ref());
        if name != today {
            let message = format!("was \"{name}\", and answers to that name by its `was`");
            self.safe("job_renamed", &subject, &message);
        }
        self.former_names(&subject, (name, &old.was), (today, &new.was), "job");
        self.scope(&subject, old.scope(name), new.scope(today));
        self.keys(&subject, old, new);
        self.options(&subject, old, new);
        let doing = "a stored job whose input cannot be read fails, attempt after attempt";
        self.types("input", &subject, (&old.input, &new.input), doing);
        let doing = "a parent that waits for it, and `wait`, cannot read the output of one that ended before";
        self.types("output", &subject, (&old.output, &new.output), doing);
        self.steps(today, old, new);
    }

    /// A name that once led here must lead here for ever.
    pub(super) fn former_names(
        &mut self,
        subject: &Subject,
        (name, old): (&str, &[String]),
        (today, new): (&str, &[String]),
        kind: &str,
    ) {
        let gone = |was: &&String| *was != today && !new.contains(*was);
        let lost: Vec<&str> = old.iter().filter(gone).map(String::as_str).collect();
        if !lost.is_empty() {
            let message = format!(
                "no longer says `{}`: what is stored under such a name finds no {kind}",
                was_list(lost.iter().copied())
            );
            let all = new.iter().map(String::as_str).chain(lost);
            let remedy = format!("write `{}` again", was_list(all));
            self.risky("was_removed", subject, &message, &remedy);
        }
        let is_added = |was: &&String| *was != name && !old.contains(*was);
        for was in new.iter().filter(is_added) {
            let message = format!("answers to \"{was}\" as well");
            self.safe("was_added", subject, &message);
        }
    }

    fn scope(&mut self, subject: &Subject, old: &str, new: &str) {
        if old != new {
            let message = format!(
                "keeps its keys under \"{new}\", and live jobs hold theirs under \"{old}\": an input that is being worked on can be enqueued a second time"
            );
            let remedy = format!(
                "the last name in `was` is the oldest, under which the keys are: let the list end with \"{old}\""
            );
            self.risky("keys_moved", subject, &message, &remedy);
        }
    }

    fn keys(&mut self, subject: &Subject, old: &JobLock, new: &JobLock) {
        match (&old.key, &new.key) {
            (None, None) => {}
            (None, Some(_)) => self.safe("key_added", subject, "has an idempotency key now"),
            (Some(old), None) => {
                let message = "has no idempotency key any more: a second enqueue of one input runs it a second time";
                let remedy = format!("write `idempotency = {old:?}` again, unless that is meant");
                self.risky("key_removed", subject, message, &remedy);
            }
            (Some(old), Some(new)) if without_root(old) != without_root(new) => {
                let message = format!(
                    "makes its key by {new:?}, and live jobs hold keys made by {old:?}: an input that is being worked on can be enqueued a second time"
                );
                let remedy = format!(
                    "keep `idempotency = {old:?}`, or let the live jobs end before the new program is started"
                );
                self.risky("key_changed", subject, &message, &remedy);
            }
            (Some(_), Some(_)) => {}
        }
        if old.tenant.as_deref().map(without_root) != new.tenant.as_deref().map(without_root) {
            let message = "takes its tenant from something else; stored jobs keep theirs";
            self.safe("tenant_changed", subject, message);
        }
    }
}

/// The job that answers to a name, now or formerly.
fn answering<'l>(lock: &'l Lock, name: &str) -> Option<(&'l str, &'l JobLock)> {
    let by_name = lock.jobs.get_key_value(name);
    let mut all = lock.jobs.iter();
    by_name
        .or_else(|| all.find(|(_, job)| job.was.iter().any(|was| was == name)))
        .map(|(name, job)| (name.as_str(), job))
}

fn was_with<'l>(job: &'l JobLock, name: &'l str) -> Vec<&'l str> {
    std::iter::once(name)
        .chain(job.was.iter().map(String::as_str))
        .collect()
}
