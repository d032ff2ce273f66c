//! Leases of real workers: kept while they live, lost with them, and handed back at shutdown.

use crate::support::{Fault, Faults, Log, memory, within};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::{RunEvent, Verb};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Lets a body go on.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<Notify>);

#[job(
    idempotency = "gated:{input}",
    visibility_timeout = "30s",
    attempts = 3
)]
async fn gated(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("first", {
        log.add("body first");
        Ok(())
    })
    .await?;
    step!("gate", {
        log.add("body gate");
        gate.0.notified().await;
        Ok(())
    })
    .await?;
    step!("last", {
        log.add("body last");
        Ok(())
    })
    .await?;
    Ok(input)
}

fn worker(jobs: &Jobs, log: &Log, gate: &Gate, name: &'static str) -> jobs_runtime::Worker {
    let events = log.clone();
    jobs.worker()
        .name(name)
        .state(log.clone())
        .state(gate.clone())
        .observe(move |_, event| match event {
            RunEvent::Claimed { .. } => events.add(format!("{name} claimed")),
            RunEvent::Ended { state, .. } => events.add(format!("{name} ended {state}")),
            RunEvent::LeaseLost => events.add(format!("{name} lost")),
            _ => {}
        })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q02_a_job_of_five_leases_is_one_attempt() {
    let (jobs, clock) = memory();
    let log = Log::default();
    let jobs = jobs.hooked(Faults::log(&log));
    let (gate, stop) = (Gate::default(), Arc::new(Notify::new()));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let running = worker(&jobs, &log, &gate, "a");
    let until = Arc::clone(&stop);
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("body gate", 1)).await;
    // Five leases, a third of one at a time, each with its heartbeat.
    for beat in 1..=15 {
        clock.advance(Duration::from_secs(10));
        within(log.saw("store Heartbeat", beat)).await;
    }
    gate.0.notify_one();
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    stop.notify_one();
    within(task).await.unwrap().unwrap();
    let job = jobs.admin().show(handle.id()).await.unwrap().unwrap().job;
    assert_eq!((job.head.attempt, job.head.token.epoch), (1, 1));
    assert_eq!(log.count("body gate"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i4_a_worker_paused_past_its_lease_is_refused_and_the_next_one_goes_on() {
    let (jobs, clock) = memory();
    let (log, gate) = (Log::default(), Gate::default());
    let cut = Faults::log(&Log::default());
    let cut_off = jobs.clone().hooked(cut.clone());
    let (stop_a, stop_b) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handle = gated(1).enqueue(&jobs).await.unwrap();

    let until = Arc::clone(&stop_a);
    let a = worker(&cut_off, &log, &gate, "a");
    let a = tokio::spawn(a.run_until(async move { until.notified().await }));
    within(log.saw("body gate", 1)).await;
    // As if its machine had been suspended: it hears nothing and says nothing.
    cut.cut(Verb::Heartbeat);
    cut.cut(Verb::Claim);
    clock.advance(Duration::from_secs(31));
    within(log.saw("a lost", 1)).await;

    let until = Arc::clone(&stop_b);
    let b = worker(&jobs, &log, &gate, "b");
    let b = tokio::spawn(b.run_until(async move { until.notified().await }));
    within(log.saw("body gate", 2)).await;
    gate.0.notify_one();
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    let job = jobs.admin().show(handle.id()).await.unwrap().unwrap().job;
    assert_eq!((job.head.attempt, job.head.lease_losses), (2, 1));
    assert_eq!(log.count("body first"), 1, "a stored step never runs again");
    assert_eq!(log.count("body last"), 1);
    stop_a.notify_one();
    stop_b.notify_one();
    // The one that is cut off sleeps before it tries to claim again.
    let (_, _) = within(async { tokio::join!(a, b) }).await;
}

#[job(idempotency = "one-step:{input}", visibility_timeout = "60s")]
async fn one_step(input: u64, gate: State<Gate>) -> Result<u64> {
    step!("gate", {
        gate.0.notified().await;
        Ok(input)
    })
    .await?;
    Ok(input)
}

#[job(idempotency = "endless:{input}", visibility_timeout = "3s")]
async fn endless(input: u64) -> Result<u64> {
    step!("never", std::future::pending::<Result<()>>()).await?;
    Ok(input)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heartbeat_that_meets_the_end_of_its_own_job_does_not_take_it_for_a_lost_lease() {
    let (jobs, clock) = memory();
    let (log, gate, stop) = (Log::default(), Gate::default(), Arc::new(Notify::new()));
    // The end is stored, and the worker is not told for six tries, each after a pause.
    let faults = (0..6).fold(Faults::log(&log), |faults, _| {
        faults.once(Verb::Commit, Fault::After)
    });
    let jobs = jobs.hooked(faults);
    one_step(1).enqueue(&jobs).await.unwrap();
    // Its short lease makes the worker beat once a second, for both.
    endless(1).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a").grace(Duration::ZERO);
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("a claimed", 2)).await;
    gate.0.notify_one();
    within(log.saw("store Commit", 1)).await;
    // Seconds: a pause ends at most once in each, and the lease is longer than all of them.
    for second in 1..=30 {
        clock.advance(Duration::from_secs(1));
        within(log.saw("store Heartbeat", second)).await;
        // Time moves on only when the run has had its chance to use what has passed.
        let ended = log.saw("a ended done", 1);
        if tokio::time::timeout(Duration::from_millis(50), ended)
            .await
            .is_ok()
        {
            break;
        }
    }
    assert_eq!((log.count("a ended done"), log.count("a lost")), (1, 0));
    stop.notify_one();
    within(task).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q32_a_shutdown_hands_back_what_runs_and_costs_no_attempt() {
    let (jobs, clock) = memory();
    let (log, gate, stop) = (Log::default(), Gate::default(), Arc::new(Notify::new()));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a").grace(Duration::ZERO);
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("body gate", 1)).await;
    stop.notify_one();
    within(task).await.unwrap().unwrap();
    assert_eq!(log.count("a ended pending"), 1);
    let job = jobs.admin().show(handle.id()).await.unwrap().unwrap().job;
    assert_eq!((job.head.state, job.head.attempt), (JobState::Pending, 1));
    assert!(
        job.head
            .visible_at
            .is_some_and(|at| at <= jobs_runtime::clock::Clock::now(&clock))
    );
}

#[job(idempotency = "gated-once:{input}")]
async fn gated_once(input: u64, log: State<Log>, gate: State<Gate>) -> Result<String> {
    let charged = step!("charge", effect = at_most_once, {
        log.add("body charge");
        gate.0.notified().await;
        Ok(input)
    });
    Ok(match charged.await {
        Ok(cents) => format!("charged {cents}"),
        Err(error) if error.is_interrupted() => "interrupted".into(),
        Err(error) => error.to_string(),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r15_a_shutdown_waits_for_a_body_that_may_not_run_twice() {
    let (jobs, clock) = memory();
    let log = Log::default();
    let jobs = jobs.hooked(Faults::log(&log));
    let (gate, stop) = (Gate::default(), Arc::new(Notify::new()));
    let handle = gated_once(5).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a").grace(Duration::from_secs(60));
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("body charge", 1)).await;
    stop.notify_one();
    for beat in 1..=3 {
        clock.advance(Duration::from_secs(10));
        within(log.saw("store Heartbeat", beat)).await;
    }
    gate.0.notify_one();
    within(task).await.unwrap().unwrap();
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), "charged 5");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r15_a_grace_that_ends_inside_such_a_body_interrupts_it() {
    let (jobs, _) = memory();
    let (log, gate) = (Log::default(), Gate::default());
    let handle = gated_once(5).enqueue(&jobs).await.unwrap();
    for name in ["a", "b"] {
        let stop = Arc::new(Notify::new());
        let until = Arc::clone(&stop);
        let running = worker(&jobs, &log, &gate, name).grace(Duration::ZERO);
        let task = tokio::spawn(running.run_until(async move { until.notified().await }));
        let expected = match name {
            "a" => "body charge",
            _ => "b ended done",
        };
        within(log.saw(expected, 1)).await;
        stop.notify_one();
        within(task).await.unwrap().unwrap();
    }
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), "interrupted");
    assert_eq!(log.count("body charge"), 1);
    let job = jobs.admin().show(handle.id()).await.unwrap().unwrap().job;
    assert_eq!(job.head.attempt, 1, "it cost no attempt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b14_heartbeats_go_on_while_a_shutdown_waits() {
    let (jobs, clock) = memory();
    let log = Log::default();
    let jobs = jobs.hooked(Faults::log(&log));
    let (gate, stop) = (Gate::default(), Arc::new(Notify::new()));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a").grace(Duration::from_secs(300));
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("body gate", 1)).await;
    stop.notify_one();
    for beat in 1..=9 {
        clock.advance(Duration::from_secs(10));
        within(log.saw("store Heartbeat", beat)).await;
    }
    gate.0.notify_one();
    within(task).await.unwrap().unwrap();
    let job = jobs.admin().show(handle.id()).await.unwrap().unwrap().job;
    assert_eq!((job.head.state, job.head.token.epoch), (JobState::Done, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b05_a_cancelled_job_stays_cancelled_whatever_its_body_does() {
    let (jobs, clock) = memory();
    let log = Log::default();
    let jobs = jobs.hooked(Faults::log(&log));
    let (gate, stop) = (Gate::default(), Arc::new(Notify::new()));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a");
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    within(log.saw("body gate", 1)).await;
    jobs.admin().cancel(handle.id()).await.unwrap();
    clock.advance(Duration::from_secs(10));
    within(log.saw("a lost", 1)).await;
    gate.0.notify_one();
    let error = within(jobs.wait(&handle)).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_CANCELLED");
    stop.notify_one();
    within(task).await.unwrap().unwrap();
    assert_eq!(log.count("body last"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q26_a_worker_outlives_an_outage_of_its_store() {
    let (jobs, clock) = memory();
    let log = Log::default();
    let faults = (0..8).fold(Faults::log(&log), |faults, _| {
        faults.once(Verb::Claim, Fault::Before)
    });
    let jobs = jobs.hooked(faults);
    let (gate, stop) = (Gate::default(), Arc::new(Notify::new()));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let until = Arc::clone(&stop);
    let running = worker(&jobs, &log, &gate, "a");
    let task = tokio::spawn(running.run_until(async move { until.notified().await }));
    // Again and again: the pause may begin after the time that was meant for it has passed.
    within(async {
        while log.count("store Claim") < 9 {
            clock.advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    })
    .await;
    within(log.saw("body gate", 1)).await;
    gate.0.notify_one();
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    stop.notify_one();
    within(task).await.unwrap().unwrap();
}
