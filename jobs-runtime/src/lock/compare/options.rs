//! Options of a job. Most hold for what is enqueued from now on, and hit nothing that is stored.

use super::names::skeleton;
use super::{Compared, Subject};
use crate::lock::JobLock;
use std::collections::BTreeSet;

const DEFAULT_QUEUE: &str = crate::registry::DEFAULT_QUEUE;

impl Compared<'_> {
    pub(super) fn options(&mut self, subject: &Subject, old: &JobLock, new: &JobLock) {
        let names: BTreeSet<&String> = old.options.keys().chain(new.options.keys()).collect();
        for name in names {
            let (before, after) = (old.options.get(name), new.options.get(name));
            if before == after {
                continue;
            }
            let (before, after) = (before.map(String::as_str), after.map(String::as_str));
            match name.as_str() {
                "queue" => self.queue(subject, before, after),
                name => self.option(subject, name, before, after),
            }
        }
        self.removed(subject, old, new);
    }

    fn option(&mut self, subject: &Subject, name: &str, old: Option<&str>, new: Option<&str>) {
        let stays = match name {
            "attempts" | "priority" | "visibility_timeout" | "expires" | "on_cancel"
            | "unique_for" => "; stored jobs keep what they were enqueued with",
            _ => "",
        };
        let message = match (old, new) {
            (None, Some(new)) => format!("says `{name} = {new}` now{stays}"),
            (Some(old), None) => format!("no longer says `{name} = {old}`{stays}"),
            (Some(old), Some(new)) => {
                format!("says `{name} = {new}`, and said `{name} = {old}`{stays}")
            }
            (None, None) => return,
        };
        let change = if old.is_none() {
            "option_added"
        } else {
            "option_changed"
        };
        self.safe(change, subject, &message);
    }

    fn queue(&mut self, subject: &Subject, old: Option<&str>, new: Option<&str>) {
        let (old, new) = (old.unwrap_or(DEFAULT_QUEUE), new.unwrap_or(DEFAULT_QUEUE));
        let message = format!(
            "goes into queue \"{new}\", and stored ones stay in \"{old}\": a worker that names its queues may never take them"
        );
        let remedy = format!(
            "keep a worker on queue \"{old}\" until it is empty, or keep `queue = {old:?}`"
        );
        self.risky("queue_changed", subject, &message, &remedy);
    }

    /// A name in `removed` excuses a record that nothing asks for. Records live as long as runs.
    fn removed(&mut self, subject: &Subject, old: &JobLock, new: &JobLock) {
        let is_there = |job: &JobLock, name: &String| {
            let wanted = skeleton(name);
            let mut steps = job.steps.iter();
            job.removed.iter().any(|other| skeleton(other) == wanted)
                || steps.any(|(step, lock)| {
                    skeleton(step) == wanted || lock.was.iter().any(|was| skeleton(was) == wanted)
                })
        };
        for name in &old.removed {
            if !is_there(new, name) {
                let message = format!(
                    "no longer says `removed = [{name:?}]`: a run that did this step is held, because nothing asks for its record"
                );
                let remedy = format!(
                    "write `removed = [{name:?}]` again until the last such run has ended, which `jobs preflight` tells"
                );
                self.risky("removed_taken_away", subject, &message, &remedy);
            }
        }
    }
}
