//! Names that changed between two versions of the code: records under a former name, and records
//! of steps that were given up.
//!
//! A record keeps the name under which it was first stored. Nothing is rewritten, so workers of
//! the version before still read it while a deploy rolls.

use super::Run;
use alloc::{borrow::ToOwned, string::String, vec::Vec};

impl Run {
    /// Lets the record under one of the former names serve the step `name`, if there is none under
    /// `name` itself. Call it before the step's future asks for the first time.
    pub fn adopt<'n>(&mut self, name: &str, formers: impl IntoIterator<Item = &'n str>) {
        if self.slots.contains_key(name) {
            return;
        }
        for former in formers {
            let free = self.slots.get(former).is_some_and(|slot| !slot.claimed);
            if free && let Some(slot) = self.slots.remove(former) {
                self.rename_in_order(former, slot.record.position, name);
                self.slots.insert(name.to_owned(), slot);
                return;
            }
        }
    }

    fn rename_in_order(&mut self, former: &str, position: Option<super::Position>, name: &str) {
        let Some(position) = position else { return };
        let from = self.order.partition_point(|other| {
            let slot = self.slots.get(other);
            slot.is_some_and(|slot| slot.record.position < Some(position))
        });
        // What stands there is the one that was taken out of the slots.
        if let Some(entry) = self.order.get_mut(from).filter(|entry| *entry == former) {
            name.clone_into(entry);
        }
    }

    /// The names as they stand in the journal.
    pub(super) fn stored_names(&self, asked: &[String]) -> Vec<String> {
        let stored = |name: &String| match self.slots.get(name) {
            Some(slot) => slot.record.name.clone(),
            None => name.clone(),
        };
        asked.iter().map(stored).collect()
    }
}

/// Whether one of the templates can give this name.
pub(super) fn any_matches(templates: &[&str], name: &str) -> bool {
    templates
        .iter()
        .any(|template| template_gives(template, name))
}

/// Whether a template such as `charge:{item.id}` can give this name: a placeholder stands for
/// escaped text, in which nothing but letters, digits and `_.-%` occurs.
#[must_use]
pub fn template_gives(template: &str, name: &str) -> bool {
    let mut rest = template.chars();
    let Some(first) = rest.next() else {
        return name.is_empty();
    };
    let rest = rest.as_str();
    let doubled = (first == '{' || first == '}') && rest.starts_with(first);
    if first != '{' || doubled {
        let rest = if doubled { &rest[1..] } else { rest };
        return name
            .strip_prefix(first)
            .is_some_and(|name| template_gives(rest, name));
    }
    let Some((_, rest)) = rest.split_once('}') else {
        return false;
    };
    let longest = name
        .find(|c: char| !(c.is_ascii_alphanumeric() || "_.-%".contains(c)))
        .unwrap_or(name.len());
    (0..=longest)
        .rev()
        .any(|end| template_gives(rest, &name[end..]))
}

#[cfg(test)]
mod tests {
    use super::template_gives as matches;

    #[test]
    fn a_placeholder_stands_for_any_escaped_text() {
        assert!(matches("pay", "pay"));
        assert!(!matches("pay", "pay:1"));
        assert!(matches("pay:{item.id}", "pay:a%3Ab"));
        assert!(matches("pay:{a}:{b}-x", "pay::2-y-x"));
        assert!(!matches("pay:{item.id}", "pay:1:2"));
        assert!(!matches("pay:{item.id}", "bill/pay:1"));
        assert!(matches("bill/pay:{n}", "bill/pay:7"));
        assert!(matches("{{a}}:{n}", "{a}:7"));
    }
}
