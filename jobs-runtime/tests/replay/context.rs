//! R14 and the rest of what a body gets from its job: the same on every replay.

use crate::support::{Calls, HOUR, Log, bench};
use jobs_runtime::core::{LOG_LIMIT_LINES, LOG_LINE_LIMIT_BYTES, NOTES_EVERY};
use jobs_runtime::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

fn drawn(job: &JobContext) -> String {
    format!("{:?} {} {}", job.now(), job.uuid(), job.random())
}

#[job(idempotency = "draws:{input}")]
async fn draws(input: u64, job: JobContext, log: State<Log>) -> Result<()> {
    let mut all = vec![drawn(&job), drawn(&job)];
    step!("one", async {
        // What a body draws is missed by nobody when the body does not run again.
        drawn(&job);
        Ok::<_, Failure>(input)
    })
    .await?;
    all.push(drawn(&job));
    step!("nap", sleep = "1h").await;
    all.push(drawn(&job));
    step!("late", sleep = "1h").await;
    all.push(drawn(&job));
    log.add(all.join("\n"));
    step!("last", sleep = "1h").await;
    log.add(all.join("\n"));
    Ok(())
}

#[tokio::test]
async fn r14_recorded_values_are_the_same_on_every_replay_and_differ_from_each_other() {
    let (bench, log) = bench();
    draws(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(5 * HOUR).await.unwrap();
    let lines = log.lines();
    let drawn: Vec<_> = lines.iter().filter(|line| line.contains('\n')).collect();
    assert_eq!(drawn.len(), 3, "live, replayed, and after the last step");
    assert!(drawn.iter().all(|line| *line == drawn[0]), "{drawn:#?}");
    let values: BTreeSet<&str> = drawn[0].lines().collect();
    assert_eq!(values.len(), 5, "{values:#?}");
}

#[tokio::test]
async fn r14_two_runs_draw_other_values() {
    let (bench, log) = bench();
    draws(7).enqueue(bench.jobs()).await.unwrap();
    draws(8).enqueue(bench.jobs()).await.unwrap();
    bench.advance(5 * HOUR).await.unwrap();
    let all = log.lines().join("\n");
    let uuids: BTreeSet<&str> = all
        .lines()
        .filter_map(|line| line.split(' ').nth(1))
        .filter(|word| word.len() == 36)
        .collect();
    assert_eq!(uuids.len(), 10);
}

#[job(idempotency = "shape:{input}")]
async fn uuid_shape(input: u64, job: JobContext) -> Result<Vec<String>> {
    Ok((0..input).map(|_| job.uuid().to_string()).collect())
}

#[tokio::test]
async fn a_recorded_uuid_has_the_shape_of_version_4() {
    let (bench, _) = bench();
    let handle = uuid_shape(50).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    for text in bench.jobs().wait(&handle).await.unwrap() {
        assert_eq!(&text[14..15], "4", "{text}");
        assert!("89ab".contains(&text[19..20]), "{text}");
    }
}

#[job(idempotency = "tokens:{input}", attempts = 3, backoff = "1s")]
async fn tokens(input: u64, job: JobContext, log: State<Log>) -> Result<()> {
    let _ = input;
    log.add(format!("outside {}", job.idempotency_token()));
    step!("pay", async {
        log.add(format!("pay {}", job.idempotency_token()));
        match job.attempt() {
            1 => Err(Failure::msg("the line went dead")),
            _ => Ok(()),
        }
    })
    .await?;
    step!("ship", async {
        log.add(format!("ship {}", job.idempotency_token()));
        Ok::<_, Failure>(())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_token_is_the_steps_own_at_every_try() {
    let (bench, log) = bench();
    tokens(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let lines = log.lines();
    let of = |word: &str| -> Vec<String> {
        let own = lines.iter().filter(|line| line.starts_with(word));
        own.map(|line| line.replace(word, "")).collect()
    };
    let (pay, ship, outside) = (of("pay "), of("ship "), of("outside "));
    assert_eq!(pay.len(), 2, "two tries");
    assert_eq!(pay[0], pay[1]);
    assert_eq!(outside[0], outside[1]);
    let apart: BTreeSet<&String> = [&pay[0], &ship[0], &outside[0]].into();
    assert_eq!(apart.len(), 3);
}

#[job(idempotency = "notes:{input}")]
async fn notes(input: u64, job: JobContext) -> Result<()> {
    job.log("begin");
    step!("one", async {
        job.progress(1, 2, "one");
        job.log("in one");
        Ok::<_, Failure>(input)
    })
    .await?;
    step!("nap", sleep = "1h").await;
    job.progress(2, 2, "nearly");
    job.log("end");
    Ok(())
}

#[tokio::test]
async fn notes_come_with_the_next_commit_and_are_not_repeated_by_a_replay() {
    let (bench, _) = bench();
    let handle = notes(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let show = || async {
        let view = bench
            .jobs()
            .admin()
            .show(handle.id())
            .await
            .unwrap()
            .unwrap();
        let lines: Vec<String> = view.log.into_iter().map(|line| line.text).collect();
        (lines, view.job.notes.progress.unwrap())
    };
    let (lines, progress) = show().await;
    assert_eq!(lines, ["begin", "in one"]);
    assert_eq!(
        (progress.done, progress.total, &*progress.message),
        (1, 2, "one")
    );
    bench.advance(2 * HOUR).await.unwrap();
    let (lines, progress) = show().await;
    assert_eq!(lines, ["begin", "in one", "end"]);
    assert_eq!(progress.done, 2);
}

#[job(idempotency = "slow-notes:{input}")]
async fn slow_notes(
    input: u64,
    job: JobContext,
    clock: State<jobs_runtime::clock::VirtualClock>,
) -> Result<()> {
    use jobs_runtime::clock::Clock;
    step!("slow", async {
        for done in 0..input {
            job.progress(done, input, "");
            clock.sleep(Duration::from_millis(100)).await;
        }
        Ok::<_, Failure>(())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn notes_of_a_long_step_are_stored_meanwhile_but_not_each_by_itself() {
    let log = Log::default();
    let counted = Calls::of(jobs_runtime::Verb::Commit);
    let bench = jobs_runtime::testing::Bench::new();
    let clock = bench.clock().clone();
    let state = log.clone();
    let bench = bench
        .worker(move |worker| worker.state(state.clone()).state(clock.clone()))
        .hooked(counted.clone());
    slow_notes(100).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    // Ten seconds of notes, and the end.
    let expected = 10_000 / NOTES_EVERY.0 as usize;
    let commits = counted.count();
    assert!(
        (expected..=expected + 2).contains(&commits),
        "{commits} commits for {expected} seconds"
    );
}

#[job(idempotency = "chatter:{input}")]
async fn chatter(input: u64, job: JobContext) -> Result<()> {
    for line in 0..input {
        job.log(&format!("{line} {}", "x".repeat(5000)));
    }
    Ok(())
}

#[tokio::test]
async fn a_log_has_bounds() {
    let (bench, _) = bench();
    let handle = chatter(1000).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    assert!(view.log.len() <= LOG_LIMIT_LINES);
    assert!(
        view.log
            .iter()
            .all(|line| line.text.len() <= LOG_LINE_LIMIT_BYTES)
    );
    assert!(
        view.log[0].text.contains("900 lines before"),
        "{}",
        view.log[0].text
    );
    assert!(view.log.last().unwrap().text.starts_with("999 "));
}
