//! The calls of a sequence, and which of them make sense at all: nobody commits before anything
//! was leased.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A job that is asked for. Numbers are few, so that things meet.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) key: Option<u8>,
    pub(crate) conflict: u8,
    pub(crate) queue: u8,
    pub(crate) priority: u8,
    pub(crate) tenant: Option<u8>,
    pub(crate) delay_secs: u64,
    pub(crate) attempts: u32,
    pub(crate) unique_secs: Option<u64>,
    pub(crate) expires_secs: Option<u64>,
    pub(crate) cleans_up: bool,
    pub(crate) input: u8,
}

/// How a commit leaves its job.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Ack,
    Continue,
    Defer,
    Fail,
    GoOn,
    HandBack,
    Hold,
    Retry(u64),
    Suspend(Option<u64>),
}

/// What a commit carries.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    pub(crate) end: End,
    pub(crate) steps: u8,
    /// Waits for this event, of this key.
    pub(crate) wait: Option<(u8, Option<u8>)>,
    /// Takes an event or the end of a child out of the inbox, if there is one.
    pub(crate) takes: bool,
    pub(crate) child: Option<(Asked, bool)>,
    pub(crate) publishes: Option<(u8, u8)>,
    pub(crate) notes: bool,
    /// Says it has seen less of the inbox than it has.
    pub(crate) is_blind: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Beat(Index, u64),
    Cancel(Index, bool),
    Claim {
        limit: usize,
        queue: Option<u8>,
    },
    Commit(Index, Carried),
    CommitAgain(Index),
    Enqueue(Vec<Asked>),
    EnqueueAgain(Index),
    Fork(Index, Option<u8>, Index),
    Pass(u64),
    Pause(u8, bool),
    Prune {
        age_secs: u64,
        dead: bool,
    },
    Publish {
        name: u8,
        key: Option<u8>,
        tenant: Option<u8>,
        ttl_secs: u64,
    },
    PublishAgain(Index),
    Requeue {
        job: Index,
        from: Option<Index>,
        stale: bool,
    },
    Schedule {
        revision: u64,
        jobs: Vec<Asked>,
    },
}

/// What a sequence has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    enqueued: bool,
    claimed: bool,
    committed: bool,
    published: bool,
}

impl Plan {
    pub(crate) fn after(self, op: &Op) -> Plan {
        match op {
            Op::Enqueue(_) | Op::Schedule { .. } => Plan {
                enqueued: true,
                ..self
            },
            Op::Claim { .. } => Plan {
                claimed: self.enqueued,
                ..self
            },
            Op::Commit(..) => Plan {
                committed: true,
                ..self
            },
            Op::Publish { .. } => Plan {
                published: true,
                ..self
            },
            _ => self,
        }
    }

    pub(crate) fn next(&self) -> BoxedStrategy<Op> {
        let mut weighted = vec![(8, enqueue()), (2, publish()), (3, pass()), (1, settings())];
        if self.enqueued {
            weighted.extend([(9, claim()), (5, people()), (1, again(Op::EnqueueAgain))]);
        }
        if self.claimed {
            weighted.extend([(16, commit()), (2, beat())]);
        }
        if self.committed {
            weighted.push((2, again(Op::CommitAgain)));
        }
        if self.published {
            weighted.push((1, again(Op::PublishAgain)));
        }
        proptest::strategy::Union::new_weighted(weighted).boxed()
    }
}

fn again(op: fn(Index) -> Op) -> BoxedStrategy<Op> {
    any::<Index>().prop_map(op).boxed()
}

fn rarely<T: std::fmt::Debug + Clone + 'static>(
    some: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop::option::weighted(0.25, some).boxed()
}

fn asked() -> BoxedStrategy<Asked> {
    let who = (
        prop::option::weighted(0.6, 0..3_u8),
        // Three policies, and two kinds of windows with three edges each.
        0..9_u8,
        0..2_u8,
        3..6_u8,
        rarely(0..2_u8),
    );
    let when = (
        select(vec![0, 0, 0, 1, 30]),
        1..4_u32,
        rarely(select(vec![5, 100])),
    );
    let rest = (rarely(1..20_u64), prop::bool::weighted(0.1), 0..3_u8);
    (who, when, rest)
        .prop_map(|(who, when, rest)| Asked {
            key: who.0,
            conflict: who.1,
            queue: who.2,
            priority: who.3,
            tenant: who.4,
            delay_secs: when.0,
            attempts: when.1,
            unique_secs: when.2,
            expires_secs: rest.0,
            cleans_up: rest.1,
            input: rest.2,
        })
        .boxed()
}

fn enqueue() -> BoxedStrategy<Op> {
    prop::collection::vec(asked(), 1..4)
        .prop_map(Op::Enqueue)
        .boxed()
}

fn publish() -> BoxedStrategy<Op> {
    (
        0..2_u8,
        rarely(0..2_u8),
        rarely(0..2_u8),
        select(vec![1, 60, 3600]),
    )
        .prop_map(|(name, key, tenant, ttl_secs)| Op::Publish {
            name,
            key,
            tenant,
            ttl_secs,
        })
        .boxed()
}

fn pass() -> BoxedStrategy<Op> {
    select(vec![1, 500, 1_000, 5_000, 31_000, 120_000])
        .prop_map(Op::Pass)
        .boxed()
}

fn settings() -> BoxedStrategy<Op> {
    let pause = (0..2_u8, any::<bool>()).prop_map(|(queue, on)| Op::Pause(queue, on));
    let schedule = (0..3_u64, prop::collection::vec(asked(), 0..3));
    let schedule = schedule.prop_map(|(revision, jobs)| Op::Schedule { revision, jobs });
    prop_oneof![pause, schedule].boxed()
}

fn claim() -> BoxedStrategy<Op> {
    (1..4_usize, rarely(0..2_u8))
        .prop_map(|(limit, queue)| Op::Claim { limit, queue })
        .boxed()
}

fn beat() -> BoxedStrategy<Op> {
    (any::<Index>(), select(vec![1, 30, 90]))
        .prop_map(|(holder, secs)| Op::Beat(holder, secs))
        .boxed()
}

fn people() -> BoxedStrategy<Op> {
    let stale = || prop::bool::weighted(0.1);
    let cancel = (any::<Index>(), stale()).prop_map(|(job, stale)| Op::Cancel(job, stale));
    let requeue = (any::<Index>(), rarely(any::<Index>()), stale())
        .prop_map(|(job, from, stale)| Op::Requeue { job, from, stale });
    let fork = (any::<Index>(), rarely(0..3_u8), any::<Index>())
        .prop_map(|(job, key, from)| Op::Fork(job, key, from));
    let prune = (select(vec![0, 10, 100]), any::<bool>())
        .prop_map(|(age_secs, dead)| Op::Prune { age_secs, dead });
    prop_oneof![3 => cancel, 5 => requeue, 2 => fork, 1 => prune].boxed()
}

fn end() -> BoxedStrategy<End> {
    prop_oneof![
        4 => Just(End::Ack),
        1 => Just(End::Continue),
        1 => Just(End::Defer),
        1 => Just(End::Fail),
        5 => Just(End::GoOn),
        1 => Just(End::HandBack),
        1 => Just(End::Hold),
        3 => select(vec![0, 1, 60]).prop_map(End::Retry),
        6 => prop::option::of(select(vec![0, 1, 60])).prop_map(End::Suspend),
    ]
    .boxed()
}

fn commit() -> BoxedStrategy<Op> {
    let what = (
        end(),
        0..3_u8,
        prop::option::of((0..2_u8, rarely(0..2_u8))),
        any::<bool>(),
    );
    let more = (
        rarely((asked(), any::<bool>())),
        prop::option::weighted(0.1, (0..2_u8, 0..2_u8)),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
    );
    (any::<Index>(), what, more)
        .prop_map(|(holder, what, more)| {
            let carried = Carried {
                end: what.0,
                steps: what.1,
                wait: what.2,
                takes: what.3,
                child: more.0,
                publishes: more.1,
                notes: more.2,
                is_blind: more.3,
            };
            Op::Commit(holder, carried)
        })
        .boxed()
}
