//! Steps that came, went or have another name, and what changed about those that stayed.

use super::names::{likeliest, skeleton, was_list};
use super::{Compared, Subject};
use crate::lock::{JobLock, StepLock};
use std::collections::BTreeSet;

impl<'a> Compared<'a> {
    /// The steps of one job, which is called `job` today.
    pub(super) fn steps(&mut self, job: &str, old: &'a JobLock, new: &'a JobLock) {
        let mut met = BTreeSet::new();
        for (name, before) in &old.steps {
            match answering(new, name) {
                Some((today, after)) => {
                    met.insert(today);
                    self.step(job, (name, before), (today, after));
                }
                None => self.step_removed(job, (name, before), old, new),
            }
        }
        for (name, step) in &new.steps {
            if !met.contains(name.as_str()) {
                let subject = Subject::step(name, job, step.place.as_ref());
                let message = "is new: a run that is past its place does it when it goes on";
                self.safe("step_added", &subject, message);
            }
        }
    }

    fn step_removed(
        &mut self,
        job: &str,
        (name, before): (&str, &StepLock),
        old: &JobLock,
        new: &JobLock,
    ) {
        let is_excused = |removed: &String| skeleton(removed) == skeleton(name);
        if new.removed.iter().any(is_excused) {
            let subject = Subject::step(name, job, new.place.as_ref());
            return self.safe(
                "step_given_up",
                &subject,
                "is gone, and listed in `removed`",
            );
        }
        let candidates = new.steps.iter().filter(|(other, after)| {
            answering(old, other).is_none()
                && !after.was.iter().any(|was| answering(old, was).is_some())
                && is_alike(before, after)
        });
        let likely = likeliest(name, candidates.map(|(other, _)| other.as_str()));
        let message = "is gone: a run that did it is held, because nothing asks for its record";
        match likely.and_then(|likely| new.steps.get_key_value(likely)) {
            Some((likely, after)) => {
                let subject = Subject::step(name, job, after.place.as_ref());
                let (name, likely_short) = below_common_helper(name, likely);
                let formers = after
                    .was
                    .iter()
                    .map(|was| below_common_helper(was, likely).0);
                let was = was_list(std::iter::once(name).chain(formers));
                let remedy = format!(
                    "if it is called \"{likely_short}\" now, write `{was}` in that step; if it was given up, write `removed = [{full:?}]` in the `#[job]`",
                    full = subject_name(&subject)
                );
                self.risky("step_renamed", &subject, message, &remedy);
            }
            None => {
                let subject = Subject::step(name, job, new.place.as_ref());
                let remedy = format!(
                    "if it was given up, write `removed = [{name:?}]` in the `#[job]`; if another step took its place, write `was = [{name:?}]` in that one"
                );
                self.risky("step_removed", &subject, message, &remedy);
            }
        }
    }

    fn step(
        &mut self,
        job: &str,
        (name, old): (&'a str, &'a StepLock),
        (today, new): (&'a str, &'a StepLock),
    ) {
        let subject = Subject::step(today, job, new.place.as_ref());
        if name != today && skeleton(name) == skeleton(today) && !new.was.iter().any(|w| w == name)
        {
            let message = format!(
                "takes its name from something else than \"{name}\" did: if the text differs, its record is not found, and what it did is done again"
            );
            let remedy = format!(
                "if only a variable has another name, take the change; else write `was = [{name:?}]`"
            );
            self.risky("placeholder_changed", &subject, &message, &remedy);
        } else if name != today {
            let message = format!("was \"{name}\", and answers to that name by its `was`");
            self.safe("step_renamed", &subject, &message);
        }
        self.former_names(&subject, (name, &old.was), (today, &new.was), "step");
        if old.kind != new.kind {
            self.kind(&subject, name, today, old, new);
            return;
        }
        self.effect(&subject, old, new);
        self.event_of(&subject, old, new);
        if let (Some(old), Some(new)) = (old.known_output(), new.known_output()) {
            let doing = "a run that did the step is held, because its record cannot be read";
            self.types("output", &subject, (old, new), doing);
        }
    }

    fn kind(&mut self, subject: &Subject, name: &str, today: &str, old: &StepLock, new: &StepLock) {
        let message = format!(
            "is of the kind {}, and was a {}: a run that recorded it, or is in it, is held",
            new.kind, old.kind
        );
        let remedy = format!(
            "give the new step another name than {today:?}, and write `removed = [{name:?}]` in the `#[job]`"
        );
        self.risky("kind_changed", subject, &message, &remedy);
    }

    fn effect(&mut self, subject: &Subject, old: &StepLock, new: &StepLock) {
        match (old.at_most_once, new.at_most_once) {
            (true, false) => self.risky(
                "effect_changed",
                subject,
                "no longer says `effect = at_most_once`: one that was cut off inside runs a second time",
                "write `effect = at_most_once` again, unless its body bears to be run twice",
            ),
            (false, true) => {
                self.safe("effect_changed", subject, "says `effect = at_most_once` now");
            }
            _ => {}
        }
        match (old.tx, new.tx) {
            (true, false) => self.risky(
                "effect_changed",
                subject,
                "writes in no transaction of the store any more: one that is cut off between its writes and its record writes a second time",
                "write it as `tx = |tx: ..| ..` again, unless its body bears to be run twice",
            ),
            (false, true) => {
                self.safe("effect_changed", subject, "stores its record with its own writes now");
            }
            _ => {}
        }
    }

    fn event_of(&mut self, subject: &Subject, old: &StepLock, new: &StepLock) {
        let (Some(old), Some(new)) = (old.known_event(), new.known_event()) else {
            return;
        };
        let leads = self
            .new
            .events
            .get(new)
            .is_some_and(|it| it.was.iter().any(|was| was == old));
        if old != new && !leads {
            let message = format!(
                "waits for event \"{new}\", and runs in it wait for \"{old}\": what comes under that name is not what they ask for"
            );
            let remedy = format!(
                "if the event was renamed, write `was = [{old:?}]` in its `#[event]`; else give the step another name, and write `removed` for this one"
            );
            self.risky("event_changed", subject, &message, &remedy);
        }
    }
}

/// The step that answers to a recorded name, by its own or a former one.
fn answering<'l>(job: &'l JobLock, name: &str) -> Option<(&'l str, &'l StepLock)> {
    let wanted = skeleton(name);
    let mut all = job.steps.iter();
    let by_name = job.steps.get_key_value(name);
    by_name
        .or_else(|| {
            all.clone()
                .find(|(_, step)| step.was.iter().any(|was| was == name))
        })
        .or_else(|| {
            all.find(|(other, step)| {
                skeleton(other) == wanted || step.was.iter().any(|was| skeleton(was) == wanted)
            })
        })
        .map(|(name, step)| (name.as_str(), step))
}

/// Whether one step could be the other under a new name.
fn is_alike(old: &StepLock, new: &StepLock) -> bool {
    let agree = |old: Option<&str>, new: Option<&str>| match (old, new) {
        (Some(old), Some(new)) => old == new,
        _ => true,
    };
    old.kind == new.kind
        && agree(old.known_event(), new.known_event())
        && agree(old.known_output(), new.known_output())
}

/// In a helper a step is written without the name of the helper's call.
fn below_common_helper<'n>(name: &'n str, other: &'n str) -> (&'n str, &'n str) {
    match (name.rsplit_once('/'), other.rsplit_once('/')) {
        (Some((helper, name)), Some((same, other))) if helper == same => (name, other),
        _ => (name, other),
    }
}

fn subject_name(subject: &Subject) -> &str {
    let name = subject.text.strip_prefix("step \"").unwrap_or_default();
    name.split_once("\" of job").map_or(name, |(name, _)| name)
}
