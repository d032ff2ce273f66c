//! Five schedulers on one file: a tick is one job, whoever is paused, ahead or starts anew. So it is
//! of a task, and of a schedule that was made at run time.

use crate::support::{SECOND, World, instant, jobs_by, task as stored};
use futures::future::try_join_all;
use jobs_runtime::Missed;
use jobs_runtime::core::State;
use jobs_runtime::prelude::{Result, Tick, job, task};
use std::collections::BTreeSet;
use std::time::Duration;

const TICKS: i64 = 1_000;
const MINUTE: Duration = Duration::from_secs(60);
/// After so many ticks one scheduler, and its connection to the store, starts anew.
const LIFE_TICKS: i64 = 50;
/// After so many ticks all of them start anew, and the file is closed in between.
const STORE_TICKS: i64 = 200;
/// For so many ticks one scheduler stands still, and then looks again.
const PAUSE_TICKS: i64 = 7;

#[task(every = "1m")]
async fn fleet_minutely(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[job(name = "fleet-made-job", idempotency = none)]
async fn fleet_made(input: u64) -> Result<u64> {
    Ok(input)
}

#[tokio::test]
async fn a_thousand_ticks_of_five_schedulers_are_a_thousand_jobs() {
    let world = World::sqlite();
    let ahead = world.ahead(3 * SECOND);
    let mut fleet = Vec::new();
    for place in 0..5 {
        fleet.push(member(&world, &ahead, place).await);
    }
    let admin = fleet[0].jobs().admin();
    let set = admin.schedule("fleet-made", "* * * * *");
    set.missed(Missed::All).set(fleet_made(1)).await.unwrap();
    // The first look of each: the task is new, and nothing before was missed.
    for bench in &fleet {
        bench.drain().await.unwrap();
    }
    let begin = instant("2026-01-01T00:00:00Z");
    for tick in 1..=TICKS {
        if tick % STORE_TICKS == 0 {
            for bench in fleet.drain(..) {
                bench.jobs().close().await;
            }
            for place in 0..5 {
                fleet.push(member(&world, &ahead, place).await);
            }
        }
        // A restart falls on the tick itself: those who looked before it are gone.
        if tick % LIFE_TICKS == 0 {
            let place = usize::try_from(tick / LIFE_TICKS % 5).unwrap();
            fleet[place] = member(&world, &ahead, place).await;
        }
        let now = begin.after((MINUTE * u32::try_from(tick).unwrap()).into());
        world.clock.advance_to(now);
        ahead.clock.advance_to(now.after((3 * SECOND).into()));
        let looks = fleet.iter().enumerate();
        let awake = looks.filter(|(place, _)| *place != 1 || tick % PAUSE_TICKS == 0);
        try_join_all(awake.map(|(_, bench)| bench.drain()))
            .await
            .unwrap();
    }
    for schedule in ["fleet_minutely", "fleet-made"] {
        let jobs = jobs_by(fleet[0].jobs(), schedule).await;
        let ticks: BTreeSet<_> = jobs
            .iter()
            .map(|job| job.spec.tick.as_ref().unwrap().tick)
            .collect();
        assert_eq!((jobs.len(), ticks.len()), (1_000, 1_000), "{schedule}");
        let last = begin.after((MINUTE * 1_000).into());
        assert_eq!(ticks.last(), Some(&last));
        assert!(jobs.iter().all(|job| job.head.state == State::Done));
        let view = stored(fleet[0].jobs(), schedule).await;
        assert!(view.skipped.is_empty());
    }
}

/// The last of the five has a clock that is ahead of the others.
async fn member(world: &World, ahead: &World, place: usize) -> jobs_runtime::testing::Bench {
    let world = if place == 4 { ahead } else { world };
    world.bench().await.task::<fleet_minutely>()
}
