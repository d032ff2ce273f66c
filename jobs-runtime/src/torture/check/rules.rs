//! What a run is held to, beyond what always holds.

use crate::core::Millis;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What a run is held to. The default bounds nothing that depends on the machine.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// How long after the faults everything may take to come to rest.
    pub heal_within: Option<Millis>,
    /// Limits on how many jobs run at once.
    pub limits: Vec<Limit>,
    /// How much the clocks of processes may differ from the store's.
    pub clock_slack: Millis,
    /// Names of jobs that may be left over though they could run: nobody has a handler for them,
    /// or their queue is paused.
    pub left_alone: BTreeSet<String>,
    /// A crash of the store takes back claims that nothing durable followed: it says so of itself.
    pub claims_may_be_lost: bool,
    /// A claim hands out jobs in the order of their priority.
    pub ordered_claims: bool,
    /// Schedules of which each tick is made, and how far apart their ticks are.
    pub every_tick: BTreeMap<String, Millis>,
    /// Something writes past the recorder, such as the transactions of an application: jobs and
    /// records that nobody is seen to write are then no finding.
    pub unseen_writes: bool,
    /// How long after an event and its wait have met the run must be taken, where no fault is in
    /// the way.
    pub wake_within: Option<Millis>,
    /// For how long after its store said that a lease is lost a body may still begin something.
    pub zombie_grace: Duration,
}

/// Of these, at most so many run at once.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Which jobs.
    pub of: LimitOf,
    /// How many.
    pub most: usize,
}

/// Which jobs a limit counts. Texts are clipped as in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitOf {
    /// Those with this limit key.
    Key(String),
    /// Those of each limit key, counted apart.
    EachKey,
    /// Those of each tenant, counted apart.
    EachTenant,
    /// Those of this tenant.
    Tenant(String),
}
