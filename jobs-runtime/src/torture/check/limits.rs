//! I12: no more jobs run at once than their limits say, by the store's clock.

use super::index::{Held, Index, Line};
use super::{Invariant::I12, Limit, LimitOf, Rules, violation::Found};
use crate::core::Timestamp;
use std::collections::BTreeMap;

/// Parents, and theirs, that are looked at.
const ANCESTOR_LIMIT: usize = 32;

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    for limit in &rules.limits {
        for (group, leases) in groups(limit, index) {
            sweep(&leases, |at, running| {
                let goes_on = running.len() <= limit.most;
                if !goes_on {
                    let (many, most) = (running.len(), limit.most);
                    let what = format!("{many} jobs of \"{group}\" ran at {at}, and {most} may");
                    found.add(I12, what, running.iter().copied());
                }
                goes_on
            });
        }
    }
}

/// How often a lease took the last place under a limit.
pub(super) fn full(index: &Index<'_>, rules: &Rules) -> u64 {
    let mut full = 0;
    for limit in &rules.limits {
        for leases in groups(limit, index).values() {
            sweep(leases, |_, running| {
                full += u64::from(running.len() == limit.most);
                true
            });
        }
    }
    full
}

/// From when until when each lease was held, and where that was told.
type Spans = Vec<(Timestamp, Timestamp, usize)>;

/// The leases of each group that a limit counts.
fn groups<'h>(limit: &Limit, index: &Index<'h>) -> BTreeMap<&'h str, Spans> {
    let mut groups: BTreeMap<&str, Spans> = BTreeMap::new();
    for held in index.jobs.iter().flat_map(|line| &line.leases) {
        if let Some(group) = group(limit, held) {
            let lease = (held.lease.from, certain_end(index, held), held.told);
            groups.entry(group).or_default().push(lease);
        }
    }
    groups
}

/// The group in which a limit counts a lease, if it does.
fn group<'h>(limit: &Limit, held: &Held<'h>) -> Option<&'h str> {
    let (key, tenant) = (
        held.lease.limit_key.as_deref(),
        held.lease.tenant.as_deref(),
    );
    match &limit.of {
        LimitOf::EachKey => key,
        LimitOf::EachTenant => tenant,
        LimitOf::Key(own) => key.filter(|key| key == own),
        LimitOf::Tenant(own) => tenant.filter(|tenant| tenant == own),
    }
}

/// Until when a lease was held for certain: whatever may have ended it may have done so at once.
fn certain_end(index: &Index<'_>, held: &Held<'_>) -> Timestamp {
    let settles = held
        .settles
        .iter()
        .map(|at| index.at(index.made[*at].begin));
    let changes = family(index, held).map(|at| index.made[at]);
    let changes = changes.filter(|made| made.may_be_done() && made.end > held.asked);
    let changes = changes.map(|made| index.at(made.begin));
    settles.chain(changes).fold(held.until, Timestamp::min)
}

/// Changes by people of a job and of those above it: a cancelled parent takes its children along.
fn family<'i>(index: &'i Index<'_>, held: &Held<'_>) -> impl Iterator<Item = usize> + use<'i> {
    let of = |job| index.job_at.get(&job).map(|at| &index.jobs[*at]);
    let above = move |line: &&'i Line<'_>| {
        let first = line.enqueues.first()?;
        of(index.made[*first].enqueue()?.parent.as_ref()?.job)
    };
    let lines = std::iter::successors(of(held.lease.job), above).take(ANCESTOR_LIMIT);
    lines.flat_map(|line| line.changes.iter().copied())
}

/// Goes through the begins of leases and says which are held then, until told to stop.
fn sweep(leases: &Spans, mut begins: impl FnMut(Timestamp, &[usize]) -> bool) {
    let mut edges: Vec<(Timestamp, bool, usize)> = Vec::with_capacity(2 * leases.len());
    for (from, to, told) in leases.iter().filter(|(from, to, _)| from < to) {
        edges.push((*from, true, *told));
        edges.push((*to, false, *told));
    }
    // Ends before begins of the same instant.
    edges.sort_unstable();
    let mut running: Vec<usize> = Vec::new();
    for (at, is_begin, told) in edges {
        if !is_begin {
            running.retain(|other| *other != told);
            continue;
        }
        running.push(told);
        if !begins(at, &running) {
            return;
        }
    }
}
