//! Which jobs a removal by age or count can have reached.

use super::index::{Index, Line};
use super::loss::is_end;
use crate::core::Timestamp;
use crate::torture::history::{Call, EndedRule};
use std::ops::Range;

/// Whether some removal could reach a job that was live at that place.
pub(super) fn may_be_pruned(index: &Index<'_>, line: &Line<'_>, live_at: usize) -> bool {
    index.prunes.iter().map(|at| index.made[*at]).any(|made| {
        let Call::Prune(bounds) = made.call else {
            return false;
        };
        let is_later = |bound: Timestamp| bound > index.at(live_at);
        made.may_be_done()
            && made.end > live_at
            && (is_later(bounds.ended_before)
                || bounds.dead_before.is_some_and(is_later)
                || bounds.rules.iter().any(|rule| {
                    let spared = index.at(made.end).before(bounds.spared);
                    is_of(index, line, rule)
                        && spared >= index.at(live_at)
                        && (rule.before.is_some_and(is_later)
                            || rule.keep.is_some_and(|keep| {
                                keep <= ended_after(index, line, rule, live_at..made.end)
                            }))
                }))
    })
}

fn is_of(index: &Index<'_>, line: &Line<'_>, rule: &EndedRule) -> bool {
    rule.name.is_none() || rule.name.as_deref() == name(index, line)
}

/// Its durable name.
fn name<'h>(index: &Index<'h>, line: &Line<'_>) -> Option<&'h str> {
    let mut calls = line
        .enqueues
        .iter()
        .filter_map(|at| index.made[*at].enqueue());
    calls.next().map(|call| call.name.as_str())
}

/// How many others of its name may have ended between the two places, or in the same millisecond as
/// the first: those are removed in the order of their ids.
fn ended_after(index: &Index<'_>, line: &Line<'_>, rule: &EndedRule, within: Range<usize>) -> u64 {
    let ends = |other: &&Line<'_>| {
        let calls = other.commits.iter().chain(&other.changes);
        let mut calls = calls.map(|at| index.made[*at]);
        other.id != line.id
            && name(index, other) == name(index, line)
            && calls.any(|made| {
                made.may_be_done()
                    && index.at(made.end) >= index.at(within.start)
                    && made.begin < within.end
                    && made.settle().and_then(is_end) == Some(rule.state)
            })
    };
    index.jobs.iter().filter(ends).count() as u64
}
