//! Schedules in the store, from inside: what is written, what is left to others, and that a worker
//! without a task looks at them.

use super::super::{Keeper, NOTICED_WITHIN, StoreTime, watch};
use super::fleet::{jobs_a_tick, store};
use crate::Error;
use crate::clock::{Clock, Entropy, Env, VirtualClock};
use crate::codec::Codec;
use crate::contract::Setting;
use crate::core::{Missed, Overlap, Plan, Timestamp};
use crate::registry::{JobDef, JobOptions, Registry, Said, TypeDef};
use crate::schedule::{JobTemplate, Schedulable, Scheduler};
use crate::store::Store;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// A job that takes inputs which begin as `[`, and counts them under what they say.
fn list_job(name: &'static str) -> &'static JobDef {
    Box::leak(Box::new(JobDef {
        name,
        was: &[],
        krate: "shop",
        version: "1.0.0",
        file: "src/jobs.rs",
        line: 1,
        options: JobOptions::DEFAULT,
        key: None,
        tenant: None,
        input: TypeDef::of::<()>(),
        output: TypeDef::of::<()>(),
        needs: &[],
        steps: &[],
        run: |call| {
            if let crate::registry::Call::Ask(asks, input) = call {
                let limit_key = Some("k".repeat(input.len()));
                asks.answer(match input.first() {
                    Some(b'[') => Ok(Said {
                        tenant: None,
                        limit_key,
                    }),
                    _ => Err(Error::timeout("no list", 1)),
                });
            }
            Box::pin(std::future::ready(Ok(Vec::new())))
        },
    }))
}

fn program(names: &[&'static str]) -> Arc<Registry> {
    Arc::new(Registry::of(names.iter().map(|name| list_job(name))).unwrap())
}

fn every(when: &str) -> Plan {
    Plan {
        schedule: when.into(),
        zone: "UTC".into(),
        missed: Missed::All,
        overlap: Overlap::Run,
    }
}

async fn set(store: &Store, jobs: &Arc<Registry>, name: &str, job: JobTemplate) {
    let wanted = job.for_schedule(name).unwrap();
    let keeper = Keeper::new(store, jobs);
    keeper.set(name, every("* * * * *"), wanted).await.unwrap();
}

fn scheduler(store: &Store, jobs: &Arc<Registry>) -> Scheduler {
    Scheduler::of(store.clone(), []).with_stored(Arc::clone(jobs))
}

async fn setting(store: &Store) -> Setting {
    store.settings("schedule/").await.unwrap().remove(0)
}

#[tokio::test]
async fn a_schedule_that_says_all_this_already_is_not_written_again() {
    let ((store, _), jobs) = (store(), program(&["list"]));
    set(&store, &jobs, "one", JobTemplate::new("list", "[1]")).await;
    let before = setting(&store).await;
    set(&store, &jobs, "one", JobTemplate::new("list", "[1]")).await;
    assert_eq!(setting(&store).await.revision, before.revision);
    set(&store, &jobs, "one", JobTemplate::new("list", "[2]")).await;
    assert!(setting(&store).await.revision > before.revision);
}

/// Turns every byte over, and another way each time.
struct Restless;

impl Codec for Restless {
    fn id(&self) -> u16 {
        300
    }
    fn encode(&self, json: Vec<u8>, random: &dyn Entropy) -> Result<Vec<u8>, Error> {
        let mask = random.bits() as u8 | 0x80;
        let turned = json.into_iter().map(|byte| byte ^ mask);
        Ok(std::iter::once(mask).chain(turned).collect())
    }
    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error> {
        let mask = stored[0];
        Ok(stored[1..].iter().map(|byte| byte ^ mask).collect())
    }
}

#[tokio::test]
async fn the_input_is_stored_as_the_codec_writes_it_and_again_for_each_tick() {
    let ((store, clock), jobs) = (store(), program(&["list"]));
    let store = store.with_codec(Arc::new(Restless));
    let job = || JobTemplate::new("list", "[\"secret\"]");
    set(&store, &jobs, "sealed", job()).await;
    let before = setting(&store).await;
    assert!(!String::from_utf8_lossy(&before.value).contains("secret"));
    set(&store, &jobs, "sealed", job()).await;
    assert_eq!(setting(&store).await.revision, before.revision);
    clock.advance(2 * MINUTE);
    assert_eq!(
        scheduler(&store, &jobs)
            .look(clock.now())
            .await
            .unwrap()
            .made,
        2
    );
    let page = store
        .inspect()
        .list(&Default::default(), None, 9)
        .await
        .unwrap();
    let stored: Vec<_> = page.jobs.into_iter().map(|job| job.spec.input).collect();
    assert_ne!(stored[0], stored[1]);
    for input in &stored {
        assert_eq!(&*store.codecs.decode(input).unwrap(), b"[\"secret\"]");
    }
}

#[tokio::test]
async fn a_job_that_a_program_does_not_know_is_left_to_one_that_does() {
    let ((store, clock), knows) = (store(), program(&["list"]));
    set(&store, &knows, "one", JobTemplate::new("list", "[1]")).await;
    let other = scheduler(&store, &program(&["else"]));
    clock.advance(3 * MINUTE);
    let looked = other.look(clock.now()).await.unwrap();
    // And it is not to be asked at once again.
    assert_eq!((looked.made, looked.next), (0, None));
    let trouble = Keeper::new(&store, &program(&["else"]))
        .show("one")
        .await
        .unwrap()
        .trouble;
    assert!(trouble.unwrap().contains("this program has no such job"));
    assert_eq!(
        scheduler(&store, &knows)
            .look(clock.now())
            .await
            .unwrap()
            .made,
        3
    );
}

#[tokio::test]
async fn an_input_that_the_job_takes_no_more_stops_its_schedule_and_no_other() {
    let ((store, clock), jobs) = (store(), program(&["list"]));
    set(&store, &jobs, "a-broken", JobTemplate::new("list", "[1]")).await;
    set(&store, &jobs, "b-good", JobTemplate::new("list", "[1]")).await;
    let broken = setting(&store).await;
    let value = String::from_utf8(broken.value)
        .unwrap()
        .replace("[1]", "{1}");
    let write = crate::contract::SettingWrite {
        key: broken.key,
        value: Some(value.into_bytes()),
        expected: broken.revision,
        jobs: Vec::new(),
    };
    store.write_setting(&write).await.unwrap().unwrap();
    clock.advance(2 * MINUTE);
    let looked = scheduler(&store, &jobs).look(clock.now()).await.unwrap();
    assert_eq!(
        (looked.made, looked.next),
        (2, Some(clock.now().after(MINUTE.into())))
    );
    // Mended, it makes what was due meanwhile.
    set(&store, &jobs, "a-broken", JobTemplate::new("list", "[2]")).await;
    let looked = scheduler(&store, &jobs).look(clock.now()).await.unwrap();
    assert_eq!(looked.made, 2);
}

#[tokio::test]
async fn a_job_that_the_store_refuses_stops_its_schedule_and_no_other() {
    let ((store, clock), jobs) = (store(), program(&["list"]));
    set(&store, &jobs, "b-good", JobTemplate::new("list", "[1]")).await;
    // The definition has another limit now, and the key under it is too long.
    let template = JobTemplate::new("list", format!("[{}]", "1".repeat(16 * 1024 + 1)));
    let table = crate::core::Timetable {
        job: Some(template.stored(&store).unwrap()),
        ..crate::core::Timetable::new(every("* * * * *"), clock.now(), &|at| {
            Some(at.after(MINUTE.into()))
        })
    };
    let write = crate::contract::SettingWrite {
        key: "schedule/a-refused".into(),
        value: Some(serde_json::to_vec(&table).unwrap()),
        expected: 0,
        jobs: Vec::new(),
    };
    store.write_setting(&write).await.unwrap().unwrap();
    clock.advance(2 * MINUTE);
    assert_eq!(
        scheduler(&store, &jobs)
            .look(clock.now())
            .await
            .unwrap()
            .made,
        2
    );
}

/// Polls once, and as often as virtual time comes to whatever it waits for, up to `until`.
fn pass_until(clock: &VirtualClock, until: Timestamp, mut work: std::pin::Pin<&mut impl Future>) {
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        assert!(work.as_mut().poll(&mut cx).is_pending());
        match clock.next_sleeper() {
            Some(next) if clock.now().after(next.into()) <= until => clock.advance(next),
            _ => return,
        }
    }
}

#[tokio::test]
async fn a_program_without_a_task_notices_what_is_done_to_schedules() {
    let ((store, clock), jobs) = (store(), program(&["list"]));
    let env = Env::new(clock.clone(), crate::clock::SeededEntropy::new(3));
    let time = StoreTime::default();
    let mut watching = pin!(watch(scheduler(&store, &jobs), env, &time));
    let mut at = clock.now();
    let mut pass = |span: Duration| {
        at = at.after(span.into());
        pass_until(&clock, at, watching.as_mut());
        clock.advance_to(at);
    };
    pass(MINUTE / 2);
    set(&store, &jobs, "new", JobTemplate::new("list", "[1]")).await;
    pass(MINUTE / 2 + NOTICED_WITHIN);
    assert_eq!(jobs_a_tick(&store).await.len(), 1);
    let keeper = Keeper::new(&store, &jobs);
    keeper.pause("new").await.unwrap();
    pass(2 * MINUTE);
    assert_eq!(jobs_a_tick(&store).await.len(), 1);
    keeper.resume("new").await.unwrap();
    pass(NOTICED_WITHIN);
    assert_eq!(jobs_a_tick(&store).await.len(), 3);
    keeper.remove("new").await.unwrap();
    pass(5 * MINUTE);
    assert_eq!(jobs_a_tick(&store).await.len(), 3);
}
