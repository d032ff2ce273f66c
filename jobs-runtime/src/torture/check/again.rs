//! I3: an effect is begun again only for a cause: it failed, it was cut off, or its lease ended
//! before its result was recorded.

use super::index::{Held, Index, Line, Map};
use super::{Invariant::I3, Rules, violation::Found};
use crate::torture::history::{Effect, Entry, Life, Settled, What};

/// An effect that was begun.
struct Begun<'i, 'h> {
    at: usize,
    effect: &'h Effect,
    lease: Option<&'i Held<'h>>,
    /// Whether it failed; `None` if it has no end.
    failed: Option<bool>,
}

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    if !index.jobs.iter().any(|line| line.effects.len() > 1) {
        return;
    }
    let ends = ends(index);
    for line in &index.jobs {
        let mut last: Map<&str, Begun<'_, '_>> = Map::default();
        for at in &line.effects {
            let Some((entry, effect)) = index.effect(*at) else {
                continue;
            };
            let begun = Begun {
                at: *at,
                effect,
                lease: line.lease_of(*at, entry, effect),
                failed: ends.get(at).copied(),
            };
            if let Some(before) = last.insert(&effect.step, begun)
                && let Some(now) = last.get(effect.step.as_str())
                && let Some(why) = uncaused(index, line, &before, now)
            {
                let Effect { step, .. } = before.effect;
                let what = format!("step \"{step}\" of {} was done again {why}", line.name());
                found.add(I3, what, [before.at, now.at]);
            }
        }
    }
}

/// What makes the second of two effects of a step one too many.
fn uncaused(
    index: &Index<'_>,
    line: &Line<'_>,
    before: &Begun<'_, '_>,
    now: &Begun<'_, '_>,
) -> Option<&'static str> {
    if before.failed != Some(false) || line.is_requeued(index, before.at, now.at) {
        return None;
    }
    let (first, second) = (before.lease?, now.lease?);
    if first.lease.token == second.lease.token {
        return Some("within one lease, though it had not failed");
    }
    if first.lease.token.epoch > second.lease.token.epoch {
        return None;
    }
    let (_, settled) = first.settled(index)?;
    let keeps_all = matches!(settled, Settled::Suspend { .. } | Settled::Defer { .. });
    keeps_all.then_some("after a rest that should have kept its result")
}

/// How each effect ended, by the place of its begin.
fn ends(index: &Index<'_>) -> Map<usize, bool> {
    let mut open: Map<(Life, u64), Vec<usize>> = Map::default();
    let mut ends = Map::default();
    for (at, entry) in index.entries.iter().enumerate() {
        match &entry.what {
            What::EffectBegin(effect) => {
                open.entry(who(entry, effect)).or_default().push(at);
            }
            What::EffectEnd(effect) => {
                let begun = open.get_mut(&who(entry, effect)).and_then(Vec::pop);
                if let Some(begun) = begun {
                    ends.insert(begun, effect.failed);
                }
            }
            _ => {}
        }
    }
    ends
}

/// The body of one step in one attempt of one life.
fn who(entry: &Entry, effect: &Effect) -> (Life, u64) {
    use std::hash::{Hash, Hasher};
    let life = Life {
        process: entry.process,
        incarnation: entry.incarnation,
    };
    let mut hasher = super::index::Mixing::default();
    effect.run.hash(&mut hasher);
    effect.step.hash(&mut hasher);
    effect.attempt.hash(&mut hasher);
    (life, hasher.finish())
}
