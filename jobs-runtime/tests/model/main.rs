//! The drivers as models of each other: random sequences of calls on memory and on SQLite, whose
//! answers and views must be the same after each call, and whose jobs only change as the life
//! cycle allows. A sequence that tells them apart is made as short as it can be.
//!
//! `JOBS_MODEL_SEQUENCES` says how many sequences there are; 300 without it.

// Helpers of tests are tests, which the lint cannot see.
#![allow(clippy::unwrap_used)]

mod life;
mod ops;
mod same;
mod shape;
mod world;

use ops::{Op, Plan};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use world::World;

/// Calls of one sequence.
const SEQUENCE_CALLS: usize = 50;

/// Sequences of a run that does not say how many.
const SEQUENCES: u32 = 300;

struct Drivers;

impl StateMachineTest for Drivers {
    type SystemUnderTest = World;
    type Reference = Plan;

    fn init_test(_: &Plan) -> World {
        World::new()
    }

    fn apply(mut world: World, _: &Plan, op: Op) -> World {
        world.play(&op);
        world
    }

    fn teardown(world: World, _: Plan) {
        world.look();
    }
}

impl ReferenceStateMachine for Plan {
    type State = Plan;
    type Transition = Op;

    fn init_state() -> BoxedStrategy<Plan> {
        Just(Plan::default()).boxed()
    }

    fn transitions(plan: &Plan) -> BoxedStrategy<Op> {
        plan.next()
    }

    fn apply(plan: Plan, op: &Op) -> Plan {
        plan.after(op)
    }
}

fn config() -> ProptestConfig {
    let asked = std::env::var("JOBS_MODEL_SEQUENCES").ok();
    let cases = asked.map_or(SEQUENCES, |count| count.parse().unwrap());
    ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 600,
        ..ProptestConfig::with_cases(cases)
    }
}

prop_state_machine! {
    #![proptest_config(config())]

    #[test]
    fn memory_and_sqlite_give_the_same_answers_and_views(
        sequential SEQUENCE_CALLS => Drivers
    );
}
