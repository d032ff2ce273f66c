//! Events that came, went or have another name, and what changed about those that stayed.

use super::names::{likeliest, was_list};
use super::{Compared, Subject};
use crate::lock::{EventLock, Lock};
use std::collections::BTreeSet;

impl<'a> Compared<'a> {
    pub(super) fn events(&mut self) {
        let mut met = BTreeSet::new();
        for (name, old) in &self.old.events {
            match answering(self.new, name) {
                Some((today, new)) => {
                    met.insert(today);
                    self.event((name, old), (today, new));
                }
                None => self.event_removed(name, old),
            }
        }
        for (name, new) in &self.new.events {
            if !met.contains(name.as_str()) {
                let subject = Subject::event(name, new.place.as_ref());
                self.safe("event_added", &subject, "is new");
            }
        }
    }

    fn event_removed(&mut self, name: &str, old: &EventLock) {
        let candidates = self.new.events.iter().filter(|(other, new)| {
            !self.old.events.contains_key(*other)
                && !new.was.iter().any(|was| self.old.events.contains_key(was))
                && new.krate == old.krate
                && new.key == old.key
        });
        let likely = likeliest(name, candidates.map(|(other, _)| other.as_str()));
        let message = "is gone: runs that wait for it, and those already published, meet nothing";
        match likely.and_then(|likely| self.new.events.get_key_value(likely)) {
            Some((likely, new)) => {
                let subject = Subject::event(name, new.place.as_ref());
                let formers = new.was.iter().map(String::as_str);
                let was = was_list(std::iter::once(name).chain(formers));
                let remedy = format!(
                    "if it is called \"{likely}\" now, write `{was}` in the `#[event]` of that one"
                );
                self.risky("event_renamed", &subject, message, &remedy);
            }
            None => {
                let subject = Subject::event(name, None);
                let remedy = format!(
                    "keep the event of crate {} until no run waits for it; if it has another name now, write `was = [{name:?}]` there",
                    old.krate
                );
                self.risky("event_removed", &subject, message, &remedy);
            }
        }
    }

    fn event(
        &mut self,
        (name, old): (&'a str, &'a EventLock),
        (today, new): (&'a str, &'a EventLock),
    ) {
        let subject = Subject::event(today, new.place.as_ref());
        if name != today {
            let message = format!("was \"{name}\", and answers to that name by its `was`");
            self.safe("event_renamed", &subject, &message);
        }
        self.former_names(&subject, (name, &old.was), (today, &new.was), "event");
        if old.key != new.key {
            let said = |key: &Option<String>| key.clone().unwrap_or_else(|| "none".to_owned());
            let message = format!(
                "has the key {}, and had {}: a run that waits holds a key of the old form",
                said(&new.key),
                said(&old.key)
            );
            let remedy = format!(
                "keep `key = {}`, or make another event and let runs wait for both",
                said(&old.key)
            );
            self.risky("event_key_changed", &subject, &message, &remedy);
        }
        if old.ttl != new.ttl {
            let message = "is kept for another time; those already published keep theirs";
            self.safe("option_changed", &subject, message);
        }
        let doing = "a run that waits for it cannot read one that was published before";
        self.types("payload", &subject, (&old.payload, &new.payload), doing);
    }
}

fn answering<'l>(lock: &'l Lock, name: &str) -> Option<(&'l str, &'l EventLock)> {
    let by_name = lock.events.get_key_value(name);
    let mut all = lock.events.iter();
    by_name
        .or_else(|| all.find(|(_, event)| event.was.iter().any(|was| was == name)))
        .map(|(name, event)| (name.as_str(), event))
}
