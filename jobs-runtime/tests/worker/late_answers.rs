//! Answers that come when it is too late for them, or not at all: the body does not go on after its
//! lease, and an enqueue is not sent again when its job may have come and gone.

use crate::leases::Gate;
use crate::support::{Fault, Faults, Log, memory, within};
use jobs_runtime::clock::{Clock as _, Sleeping, VirtualClock};
use jobs_runtime::prelude::*;
use jobs_runtime::{Keep, Retention, RunEvent, StoreHook, Verb};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// Longer than a lease.
const LATE: Duration = Duration::from_secs(40);

/// Has the first answers of a verb come late, and no heartbeat through.
struct Late {
    clock: VirtualClock,
    verb: Verb,
    left: Mutex<u32>,
    log: Log,
}

impl StoreHook for Late {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        match verb {
            Verb::Heartbeat => Err(Error::driver_unavailable("test", "cut off", "wait")),
            _ => Ok(()),
        }
    }

    fn delay_after(&self, verb: Verb) -> Option<Sleeping> {
        let mut left = self.left.lock().unwrap();
        if verb != self.verb || *left == 0 {
            return None;
        }
        *left -= 1;
        let late = self.clock.sleep(LATE);
        self.log.add("late");
        Some(late)
    }
}

#[job(
    idempotency = "answered-late:{input}",
    visibility_timeout = "30s",
    attempts = 3
)]
async fn answered_late(input: u64, log: State<Log>) -> Result<u64> {
    step!("one", {
        log.add("body one");
        Ok(())
    })
    .await?;
    step!("two", {
        log.add("body two");
        Ok(())
    })
    .await?;
    Ok(input)
}

fn worker(jobs: &Jobs, log: &Log) -> jobs_runtime::Worker {
    let events = log.clone();
    jobs.worker()
        .state(log.clone())
        .state(Gate::default())
        .observe(move |_, event| match event {
            RunEvent::Claimed { .. } => events.add("claimed"),
            RunEvent::LeaseLost => events.add("lost"),
            _ => {}
        })
}

/// Runs [`answered_late`] with one answer too late, then under a second lease, and once more beside
/// it.
async fn with_a_late(verb: Verb) -> Log {
    let (jobs, clock) = memory();
    let log = Log::default();
    let late = Late {
        clock: clock.clone(),
        verb,
        left: Mutex::new(1),
        log: log.clone(),
    };
    let handle = answered_late(1).enqueue(&jobs).await.unwrap();
    let late = jobs.clone().hooked(late);
    let stop = Arc::new(Notify::new());
    let until = Arc::clone(&stop);
    let running = worker(&late, &log);
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("late", 1)).await;
    // The answer and the end of the lease come in one instant.
    clock.advance(LATE);
    within(log.saw("lost", 1)).await;
    // Nothing hints at what is to be leased again, but at another job.
    let other = answered_late(2).enqueue(&jobs).await.unwrap();
    let both = async { tokio::join!(jobs.wait(&handle), jobs.wait(&other)) };
    let (one, two) = within(both).await;
    assert_eq!((one.unwrap(), two.unwrap()), (1, 2));
    stop.notify_one();
    within(task).await.unwrap().unwrap();
    log
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i4_no_body_begins_after_the_answer_to_a_commit_that_came_too_late() {
    let log = with_a_late(Verb::Commit).await;
    assert_eq!((log.count("body one"), log.count("body two")), (2, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i4_no_body_begins_after_the_answer_to_a_claim_that_came_too_late() {
    let log = with_a_late(Verb::Claim).await;
    assert_eq!((log.count("body one"), log.count("body two")), (2, 2));
}

/// Has the answer to the first enqueue lost, while the clock goes on.
struct Lost {
    faults: Faults,
    clock: VirtualClock,
    paused: Duration,
}

impl StoreHook for Lost {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        self.faults.before(verb)
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        let after = self.faults.after(verb);
        if after.is_err() {
            self.clock.advance(self.paused);
        }
        after
    }
}

/// Enqueues by one who hears nothing and is paused for so long, then moves the clock on.
async fn enqueue_unheard(paused: Duration) -> (Log, Result<(), Error>) {
    let (jobs, clock) = memory();
    let log = Log::default();
    let lost = Lost {
        faults: Faults::log(&log).once(Verb::Enqueue, Fault::After),
        clock: clock.clone(),
        paused,
    };
    let unheard = jobs.hooked(lost);
    let enqueue = answered_late(1);
    let enqueue = tokio::spawn(async move { enqueue.enqueue(&unheard).await.map(drop) });
    within(log.saw("store Enqueue", 1)).await;
    // The pause before the second try, however it falls beside the sleeper.
    while !enqueue.is_finished() {
        clock.advance(Duration::from_millis(50));
        tokio::task::yield_now().await;
    }
    (log, within(enqueue).await.unwrap())
}

#[tokio::test]
async fn an_enqueue_that_was_not_heard_is_sent_again() {
    let (log, answer) = enqueue_unheard(Duration::from_secs(10)).await;
    answer.unwrap();
    assert_eq!(log.count("store Enqueue"), 2);
}

#[tokio::test]
async fn an_enqueue_is_not_sent_again_when_what_came_of_it_may_have_been_removed() {
    let (log, answer) = enqueue_unheard(Duration::from_secs(21)).await;
    assert_eq!(answer.unwrap_err().code(), "X_OUTCOME_UNKNOWN");
    assert_eq!(log.count("store Enqueue"), 1);
}

#[tokio::test]
async fn what_has_just_ended_is_kept_whatever_retention_says() {
    let (jobs, clock) = memory();
    let log = Log::default();
    let handle = answered_late(1).enqueue(&jobs).await.unwrap();
    let ended = async {
        within(jobs.wait(&handle)).await.unwrap();
    };
    worker(&jobs, &log).run_until(ended).await.unwrap();
    let nothing = Retention::new().done(Keep::newest(0));
    let sweep = async || jobs.admin().sweep(&nothing).await.unwrap().jobs;
    assert_eq!(sweep().await, 0);
    clock.advance(Duration::from_secs(59));
    assert_eq!(sweep().await, 0);
    assert!(jobs.admin().show(handle.id()).await.unwrap().is_some());
    clock.advance(Duration::from_secs(2));
    assert_eq!(sweep().await, 1);
}
