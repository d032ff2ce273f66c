//! Schedulers side by side on one store: together they make each tick once.

use crate::Error;
use crate::clock::{Clock, Entropy, SeededEntropy, VirtualClock};
use crate::contract::JobFilter;
use crate::core::{Millis, Missed, Overlap, Timestamp, Timetable};
use crate::registry::{JobDef, JobOptions, TaskDef, TypeDef};
use crate::schedule::Scheduler;
use crate::store::{Store, StoreHook, Verb};
use crate::testing::Bench;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Ticks of the long test.
const TICKS: u64 = 10_000;
const MINUTE: Duration = Duration::from_secs(60);

fn sweep(schedule: &'static str) -> &'static JobDef {
    Box::leak(Box::new(JobDef {
        name: "fleet-sweep",
        was: &[],
        krate: "shop",
        version: "1.0.0",
        file: "src/jobs.rs",
        line: 1,
        options: JobOptions {
            task: Some(TaskDef {
                schedule,
                zone: "UTC",
                missed: Missed::All,
                overlap: Overlap::Run,
            }),
            ..JobOptions::DEFAULT
        },
        key: None,
        tenant: None,
        input: TypeDef::of::<()>(),
        output: TypeDef::of::<()>(),
        needs: &[],
        steps: &[],
        run: |_| Box::pin(std::future::ready(Ok(Vec::new()))),
    }))
}

pub(super) fn store() -> (Store, VirtualClock) {
    let bench = Bench::new();
    (bench.jobs().store().clone(), bench.clock().clone())
}

/// How many jobs each tick has.
pub(super) async fn jobs_a_tick(store: &Store) -> BTreeMap<Timestamp, usize> {
    let (mut ticks, mut after) = (BTreeMap::new(), None);
    let all = JobFilter::default();
    loop {
        let page = store.inspect().list(&all, after, 1_000).await.unwrap();
        for job in page.jobs {
            *ticks.entry(job.spec.tick.unwrap().tick).or_default() += 1;
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return ticks,
        }
    }
}

async fn table(store: &Store) -> Timetable {
    let settings = store.settings("schedule/fleet-sweep").await.unwrap();
    serde_json::from_slice(&settings[0].value).unwrap()
}

/// Loses every third answer, and every fifth call.
struct Unlucky(AtomicU64);

impl StoreHook for Unlucky {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        match verb == Verb::Settings && self.0.fetch_add(1, Ordering::SeqCst).is_multiple_of(5) {
            true => Err(Error::driver_unavailable("test", "cut off", "wait")),
            false => Ok(()),
        }
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        match verb == Verb::Settings && self.0.load(Ordering::SeqCst).is_multiple_of(3) {
            true => Err(Error::outcome_unknown("test", "the answer was lost")),
            false => Ok(()),
        }
    }
}

#[tokio::test]
async fn f30_five_schedulers_make_ten_thousand_ticks_ten_thousand_jobs() {
    let (store, clock) = store();
    let def = sweep("* * * * *");
    let unlucky = store.clone().hooked(Arc::new(Unlucky(AtomicU64::new(0))));
    let [prompt, ahead, late] = [(); 3].map(|()| Scheduler::of(store.clone(), [def]));
    let (stopped, unlucky) = (
        Scheduler::of(store.clone(), [def]),
        Scheduler::of(unlucky, [def]),
    );
    let dice = SeededEntropy::new(30);
    prompt.look(clock.now()).await.unwrap();
    for tick in 0..TICKS {
        clock.advance(MINUTE);
        let now = clock.now();
        let roll = dice.bits() as u64;
        if roll & 1 == 0 {
            ahead.look(now.after(Millis::secs(3))).await.unwrap();
        }
        if roll & 2 == 0 {
            let _lost = unlucky.look(now).await;
        }
        if roll & 4 == 0 {
            late.look(now.before(Millis::secs(70))).await.unwrap();
        }
        if roll & 24 == 0 {
            prompt.look(now).await.unwrap();
        }
        // It goes on after hours.
        if tick % 500 == 499 {
            stopped.look(now).await.unwrap();
        }
    }
    prompt.look(clock.now()).await.unwrap();
    let ticks = jobs_a_tick(&store).await;
    assert!(ticks.values().all(|jobs| *jobs == 1));
    assert_eq!(ticks.len() as u64, TICKS);
    assert!(table(&store).await.skipped.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q13_schedulers_that_look_at_one_instant_make_one_job() {
    let (store, clock) = store();
    let def = sweep("* * * * *");
    Scheduler::of(store.clone(), [def])
        .look(clock.now())
        .await
        .unwrap();
    for _ in 0..200 {
        clock.advance(MINUTE);
        let now = clock.now();
        let looks = [(); 5].map(|()| {
            let scheduler = Scheduler::of(store.clone(), [def]);
            tokio::spawn(async move { scheduler.look(now).await.unwrap().made })
        });
        let mut made = 0;
        for look in looks {
            made += look.await.unwrap();
        }
        assert_eq!(made, 1);
    }
    assert_eq!(jobs_a_tick(&store).await.len(), 200);
}

#[tokio::test]
async fn two_versions_of_a_program_follow_the_one_that_changed_the_schedule_last() {
    let (store, clock) = store();
    let old = Scheduler::of(store.clone(), [sweep("0 * * * *")]);
    let new = Scheduler::of(store.clone(), [sweep("*/10 * * * *")]);
    old.look(clock.now()).await.unwrap();
    clock.advance(45 * MINUTE);
    // The deploy: the new schedule holds at once, and the old program follows it.
    new.look(clock.now()).await.unwrap();
    let looked = old.look(clock.now()).await.unwrap();
    assert_eq!(
        looked.next,
        Some(VirtualClock::START.after(Millis::secs(50 * 60)))
    );
    clock.advance(5 * MINUTE);
    assert_eq!(old.look(clock.now()).await.unwrap().made, 1);
    assert_eq!(new.look(clock.now()).await.unwrap().made, 0);
    assert_eq!(table(&store).await.plan.schedule, "*/10 * * * *");
    // The old program that is still there after ten minutes takes it back, and is followed.
    clock.advance(8 * MINUTE);
    old.look(clock.now()).await.unwrap();
    new.look(clock.now()).await.unwrap();
    assert_eq!(table(&store).await.plan.schedule, "0 * * * *");
    assert!(jobs_a_tick(&store).await.values().all(|jobs| *jobs == 1));
}

#[tokio::test]
async fn a_timetable_that_cannot_be_read_stops_no_other_task() {
    let (store, clock) = store();
    let def = sweep("* * * * *");
    let scheduler = Scheduler::of(store.clone(), [def]);
    let write = crate::contract::SettingWrite {
        key: "schedule/fleet-sweep".into(),
        value: Some(b"not a timetable".to_vec()),
        expected: 0,
        jobs: Vec::new(),
    };
    store.write_setting(&write).await.unwrap();
    clock.advance(MINUTE);
    let looked = scheduler.look(clock.now()).await.unwrap();
    assert_eq!((looked.made, looked.next), (0, None));
}

#[tokio::test]
async fn a_task_that_is_in_no_program_is_quiet() {
    let (store, clock) = store();
    let scheduler = Scheduler::of(store.clone(), [sweep("* * * * *")]);
    scheduler.look(clock.now()).await.unwrap();
    clock.advance(10 * MINUTE);
    let other = Scheduler::of(store.clone(), []);
    assert_eq!(other.look(clock.now()).await.unwrap().made, 0);
    assert!(jobs_a_tick(&store).await.is_empty());
}
