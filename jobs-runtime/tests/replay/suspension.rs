//! R4 and R5 under a body: sleeps, waits and their deadlines survive whatever happens.

use crate::support::{HOUR, Log, after_polls, bench, journal, state_of};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use std::time::Duration;

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone, Event)]
#[event(name = "suspension-paid", key = u64)]
struct Paid {
    cents: u64,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Event)]
#[event(name = "suspension-note", key = none)]
struct Note(Option<String>);

#[job(idempotency = "waits:{input}")]
async fn waits(input: u64, log: State<Log>) -> Result<Option<Paid>> {
    log.add("body");
    Ok(step!("paid", event = Paid, key = input, timeout = "2h").await?)
}

#[tokio::test]
async fn an_event_before_the_wait_is_not_lost() {
    let (bench, _) = bench();
    let handle = waits(7).enqueue(bench.jobs()).await.unwrap();
    bench.jobs().publish(Paid { cents: 1 }, 7).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        Some(Paid { cents: 1 })
    );
}

#[tokio::test]
async fn an_event_wakes_a_parked_run_at_once() {
    let (bench, log) = bench();
    let handle = waits(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    bench.jobs().publish(Paid { cents: 5 }, 8).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(log.count("body"), 1, "another key wakes nobody");
    bench.jobs().publish(Paid { cents: 2 }, 7).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        Some(Paid { cents: 2 })
    );
}

#[tokio::test]
async fn a_wait_without_an_event_ends_at_its_deadline() {
    let (bench, log) = bench();
    let handle = waits(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), None);
    assert_eq!(log.count("body"), 2);
}

#[tokio::test]
async fn r5_a_stored_event_beats_a_passed_deadline() {
    let (bench, _) = bench();
    let handle = waits(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    // No worker runs while the event comes and the deadline passes.
    bench.jobs().publish(Paid { cents: 3 }, 7).await.unwrap();
    bench.clock().advance(5 * HOUR);
    bench.drain().await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        Some(Paid { cents: 3 })
    );
}

#[job(idempotency = "required:{input}", attempts = 1)]
async fn required_wait(input: u64) -> Result<Paid> {
    Ok(step!("paid", event = Paid, key = input, timeout = "2h", required).await?)
}

#[tokio::test]
async fn a_required_wait_fails_at_its_deadline() {
    let (bench, _) = bench();
    let handle = required_wait(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    let error = bench.jobs().wait(&handle).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no event \"suspension-paid\" came"),
        "{error}"
    );
}

#[job(idempotency = "two-waits:{input}")]
async fn two_waits(input: u64) -> Result<(u64, u64)> {
    let first = step!("first", event = Paid, key = input, required).await?;
    let second = step!("second", event = Paid, key = input, required).await?;
    Ok((first.cents, second.cents))
}

#[tokio::test]
async fn r5_two_waits_of_one_run_take_two_events_in_order() {
    let (bench, _) = bench();
    let handle = two_waits(7).enqueue(bench.jobs()).await.unwrap();
    bench.jobs().publish(Paid { cents: 1 }, 7).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    bench.jobs().publish(Paid { cents: 2 }, 7).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), (1, 2));
}

#[job(idempotency = "null:{input}")]
async fn null_event(input: u64) -> Result<String> {
    let note = step!("note", event = Note, timeout = "1h").await?;
    let _ = input;
    Ok(format!("{note:?}"))
}

#[tokio::test]
async fn d8_an_event_whose_payload_is_null_is_no_timeout() {
    let (bench, _) = bench();
    let handle = null_event(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().publish(Note(None), ()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        "Some(Note(None))"
    );
}

#[job(idempotency = "beside:{input}", backoff = "10m")]
async fn sleep_beside_failure(input: u64, log: State<Log>) -> Result<u64> {
    let failing = async {
        step!("work", {
            log.add("work");
            if log.count("work") < 3 {
                return Err(Failure::msg("not yet"));
            }
            Ok(())
        })
        .await?;
        Ok::<_, Failure>(())
    };
    let sleeping = async {
        step!("nap", sleep = "1h").await;
        Ok::<_, Failure>(())
    };
    tokio::try_join!(sleeping, failing)?;
    log.add("end");
    Ok(input)
}

#[tokio::test]
async fn r4_a_sleep_beside_a_failing_step_does_not_start_its_hour_again() {
    let (bench, log) = bench();
    let handle = sleep_beside_failure(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(Duration::from_secs(59 * 60)).await.unwrap();
    assert_eq!(log.count("work"), 3);
    assert_eq!(log.count("end"), 0);
    bench.advance(Duration::from_secs(60)).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 1);
}

#[job(idempotency = "lost-wait:{input}")]
async fn lost_wait(input: u64) -> Result<String> {
    let arm = tokio::select! {
        biased;
        paid = step!("paid", event = Paid, key = input, timeout = "9h") => {
            paid?;
            "paid"
        }
        () = step!("deadline", sleep = "1h") => "deadline",
    };
    step!("rest", sleep = "1h").await;
    Ok(arm.into())
}

#[tokio::test]
async fn a_wait_that_lost_is_taken_off_and_wakes_nobody() {
    let (bench, log) = bench();
    let handle = lost_wait(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR + HOUR / 2).await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    let names: Vec<_> = view
        .journal
        .iter()
        .map(|record| record.name.as_str())
        .collect();
    assert!(!names.contains(&"paid"), "{names:?}");
    bench.jobs().publish(Paid { cents: 1 }, 7).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "deadline");
    let _ = log;
}

#[job(idempotency = "long-sleep:{input}")]
async fn long_sleep(input: u64, log: State<Log>) -> Result<u64> {
    step!("nap", sleep = Duration::from_secs(input)).await;
    log.add("woke");
    Ok(input)
}

#[tokio::test]
async fn b37_sleeps_end_when_they_are_due_and_cost_no_attempt() {
    for secs in [59, 60, 61, 3_600, 86_400, 366 * 86_400] {
        let (bench, log) = bench();
        let handle = long_sleep(secs).enqueue(bench.jobs()).await.unwrap();
        bench
            .advance(Duration::from_secs(secs) - Duration::from_millis(1))
            .await
            .unwrap();
        assert_eq!(log.count("woke"), 0, "{secs} s: early");
        bench.advance(Duration::from_millis(1)).await.unwrap();
        assert_eq!(bench.jobs().wait(&handle).await.unwrap(), secs);
        let view = bench
            .jobs()
            .admin()
            .show(handle.id())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(view.job.head.attempt, 1);
    }
}

#[job(idempotency = "empty-outputs:{input}", backoff = "1m")]
async fn empty_outputs(input: u64, log: State<Log>) -> Result<u64> {
    step!("unit", {
        log.add("unit");
        Ok(())
    })
    .await?;
    step!("none", {
        log.add("none");
        Ok(None::<u32>)
    })
    .await?;
    step!("text", {
        log.add("text");
        Ok(String::new())
    })
    .await?;
    step!("zero", {
        log.add("zero");
        Ok(0_u8)
    })
    .await?;
    step!("false", {
        log.add("false");
        Ok(false)
    })
    .await?;
    step!("list", {
        log.add("list");
        Ok(Vec::<u8>::new())
    })
    .await?;
    log.add("end");
    if log.count("end") == 1 {
        return Err(Failure::msg("again"));
    }
    Ok(input)
}

#[tokio::test]
async fn b41_a_step_with_an_empty_output_runs_once() {
    let (bench, log) = bench();
    let handle = empty_outputs(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 1);
    for step in ["unit", "none", "text", "zero", "false", "list"] {
        assert_eq!(log.count(step), 1, "{step}");
    }
}

#[job(idempotency = "requeues:{input}")]
async fn requeues(input: u64, log: State<Log>) -> Result<u64> {
    for k in 1..=3 {
        step!("part:{k}", {
            log.add(format!("part:{k}"));
            after_polls(1, ()).await
        })
        .await?;
    }
    Ok(input)
}

#[tokio::test]
async fn d23_a_requeue_from_the_second_step_runs_it_and_the_third_once_more() {
    let (bench, log) = bench();
    let handle = requeues(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench
        .jobs()
        .admin()
        .requeue_from(handle.id(), "part:2")
        .await
        .unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 1);
    assert_eq!(
        [
            log.count("part:1"),
            log.count("part:2"),
            log.count("part:3")
        ],
        [1, 2, 2]
    );
    assert_eq!(
        journal(&bench, handle.id()).await,
        ["part:1", "part:2", "part:3"]
    );
}

#[tokio::test]
async fn a_requeue_from_a_misspelt_step_names_the_nearest() {
    let (bench, _) = bench();
    let handle = requeues(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let error = bench
        .jobs()
        .admin()
        .requeue_from(handle.id(), "prat:2")
        .await
        .unwrap_err();
    assert_eq!(error.code(), "X_STEP_UNKNOWN");
    assert_eq!(error.fix(), "did you mean \"part:2\"?");
}
