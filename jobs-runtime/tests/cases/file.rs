//! The SQLite file: rows that somebody rewrote, processes that share it, room that is given back.

use crate::support::{DAY, HOUR, LEASE, MINUTE, SECOND, World, on_sqlite, within};
use jobs_runtime::contract::{Driver, JobFilter, PruneBounds};
use jobs_runtime::core::{CommitAnswer, Millis, Payload, State as JobState};
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions, migrations};
use jobs_runtime::prelude::*;
use std::time::{Duration, Instant};

use crate::jobs::quick;
use crate::raw;

on_sqlite!(b16_contradictory_rows_stop_neither_a_start_nor_other_jobs);
async fn b16_contradictory_rows_stop_neither_a_start_nor_other_jobs(world: World) {
    let contradictions = [
        // Running, and a dead letter too.
        "INSERT INTO jobs_dead SELECT id, run_id, name, queue, 'dead', tenant, key, 1, '{}'
         FROM jobs_job WHERE name = 'odd'",
        // Leased, and done too.
        "INSERT INTO jobs_ended SELECT id, run_id, name, queue, 'done', tenant, key, 1, '{}'
         FROM jobs_job WHERE name = 'odd'",
        // Leased without a lease that ends.
        "PRAGMA ignore_check_constraints = ON;
         UPDATE jobs_job SET visible_at = NULL WHERE name = 'odd'",
        // No input.
        "DELETE FROM jobs_spec WHERE job = (SELECT id FROM jobs_job WHERE name = 'odd')",
        // Its key is another's.
        "UPDATE jobs_key SET job = x'00000000000000000000000000000000' WHERE scope = 'odd'",
    ];
    for contradiction in contradictions {
        let world = world.twin().await;
        let mut odd = world.job("odd");
        odd.spec.key = Some("k".into());
        world.store(&odd).await.unwrap();
        let held = world.claim(1).await.remove(0);
        world.raw().execute_batch(contradiction).unwrap();
        world.clock.advance(LEASE + SECOND);
        let again = world.another().await;
        let bench = again.bench();
        let good = quick(1).enqueue(bench.jobs()).await.unwrap();
        bench.advance(10 * MINUTE).await.unwrap();
        bench.outcome(&good).await.unwrap();
        // Its old worker comes back, and is answered.
        let late = again.commit(raw::settle(&held, 1, raw::ack())).await;
        assert!(
            !matches!(late, CommitAnswer::Applied(_)),
            "{contradiction}: {late:?}"
        );
        let page = bench
            .jobs()
            .admin()
            .list(&JobFilter::default(), None, 10)
            .await;
        if let Err(error) = page {
            assert_eq!(error.code(), "X_STORE_CORRUPT", "{contradiction}");
        }
    }
}

/// JSON so deep that reading it by recursion would overflow a stack.
fn deep() -> String {
    format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))
}

on_sqlite!(b86_rewritten_rows_are_typed_errors_and_nothing_is_run_for_them);
async fn b86_rewritten_rows_are_typed_errors_and_nothing_is_run_for_them(world: World) {
    let deep = deep();
    let deep_error = format!(r#"{{"message":{deep}}}"#);
    let changes: [(&str, &str); 11] = [
        ("UPDATE jobs_step SET kind = ?1", "callable"),
        ("UPDATE jobs_step SET outcome = ?1", "os.system"),
        ("UPDATE jobs_step SET output = CAST(?1 AS BLOB)", &deep),
        ("UPDATE jobs_step SET codec = 999 + length(?1)", ""),
        (
            "UPDATE jobs_step SET outcome = 'failed', output = NULL, error = ?1",
            &deep_error,
        ),
        (
            "UPDATE jobs_step SET outcome = 'failed', output = NULL, error = ?1",
            "{\"py\":1}",
        ),
        ("UPDATE jobs_step SET wait = ?1", "[]"),
        ("UPDATE jobs_spec SET input = CAST(?1 AS BLOB)", &deep),
        ("UPDATE jobs_spec SET labels = ?1", &deep),
        ("UPDATE jobs_spec SET on_cancel = ?1", "{\"name\":7}"),
        ("UPDATE jobs_job SET state = ?1", "flying"),
    ];
    for (change, value) in changes {
        let world = world.twin().await;
        let bench = world.bench();
        let handle = rests(1).enqueue(bench.jobs()).await.unwrap();
        bench.drain().await.unwrap();
        let operator = world.raw();
        operator
            .pragma_update(None, "ignore_check_constraints", true)
            .unwrap();
        assert!(operator.execute(change, [value]).unwrap() > 0, "{change}");
        drop(operator);
        // Whoever starts anew finds it too.
        let world = world.another().await;
        let bench = world.bench();
        let good = quick(1).enqueue(bench.jobs()).await.unwrap();
        bench.advance(2 * HOUR).await.unwrap();
        bench.outcome(&good).await.unwrap();
        assert_eq!(world.log.count("woke"), 0, "{change}: nothing of it runs");
        match world.driver().inspect().view(handle.id()).await {
            Err(error) => assert_eq!(error.code(), "X_STORE_CORRUPT", "{change}"),
            Ok(view) => {
                let row = view.unwrap().job;
                let code = row.notes.error.and_then(|error| error.code);
                let codes = [
                    "X_JOURNAL_MISMATCH",
                    "X_INPUT_UNDECODABLE",
                    "X_CODEC_UNKNOWN",
                ];
                let typed = code.as_deref().is_some_and(|code| codes.contains(&code));
                assert!(typed, "{change}: {:?} {code:?}", row.head.state);
            }
        }
    }
}

#[job(name = "case-rests", idempotency = "case-rests:{input}", attempts = 1)]
async fn rests(input: u64, log: State<crate::support::Log>) -> Result<u64> {
    step!("first", { Ok(input) }).await?;
    step!("rest", sleep = "1h").await;
    log.add("woke");
    Ok(input)
}

on_sqlite!(b73_a_process_that_stopped_in_a_migration_is_waited_for_and_then_named);
async fn b73_a_process_that_stopped_in_a_migration_is_waited_for_and_then_named(world: World) {
    let path = world.path().with_file_name("new.db");
    let stopped = rusqlite::Connection::open(&path).unwrap();
    stopped
        .pragma_update(None, "auto_vacuum", "INCREMENTAL")
        .unwrap();
    stopped.pragma_update(None, "journal_mode", "WAL").unwrap();
    stopped
        .execute_batch("BEGIN IMMEDIATE; CREATE TABLE jobs_half (a INTEGER)")
        .unwrap();
    let began = Instant::now();
    let refused = Sqlite::open(&path, SqliteOptions::default()).await;
    let error = refused.err().unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(error.code(), "X_DRIVER_UNAVAILABLE");
    let told = error.to_string();
    assert!(told.contains("new.db"), "{told}");
    assert!(error.fix().contains("another process"), "{}", error.fix());
    drop(stopped);
    let store = Sqlite::open(&path, SqliteOptions::default()).await.unwrap();
    store.close().await;
    let half = "SELECT count(*) FROM sqlite_schema WHERE name = 'jobs_half'";
    let tables = rusqlite::Connection::open(&path).unwrap();
    let found: i64 = tables.query_row(half, [], |row| row.get(0)).unwrap();
    assert_eq!(found, 0);
}

#[cfg(unix)]
on_sqlite!(b77_a_forked_process_is_refused_and_the_file_stays_whole);
#[cfg(unix)]
async fn b77_a_forked_process_is_refused_and_the_file_stays_whole(world: World) {
    use futures::FutureExt;
    const ROUNDS: usize = 200;
    /// What a child that was refused ends with.
    const REFUSED: i32 = 7;
    for round in 0..ROUNDS {
        let job = world.job("mine");
        match fork::fork().unwrap() {
            fork::Fork::Child => {
                // Only this thread is here: whatever waits for another one would wait for ever.
                let jobs = [job];
                let enqueued = world.driver().enqueue(&jobs, None).now_or_never();
                let read = world.driver().inspect().job(jobs[0].spec.id).now_or_never();
                let refused = |code: &str| code == "X_STORE_SETTINGS";
                let both = matches!(enqueued, Some(Err(error)) if refused(error.code()))
                    && matches!(read, Some(Err(error)) if refused(error.code()));
                std::process::exit(if both { REFUSED } else { 1 });
            }
            fork::Fork::Parent(child) => {
                world.store(&job).await.unwrap();
                let status = fork::waitpid(child).unwrap();
                assert!(fork::WIFEXITED(status), "round {round}: {status}");
                assert_eq!(fork::WEXITSTATUS(status), REFUSED, "round {round}");
            }
        }
    }
    assert_eq!(world.claim(2 * ROUNDS).await.len(), ROUNDS);
    let check = "integrity_check";
    let found: String = world
        .raw()
        .pragma_query_value(None, check, |row| row.get(0))
        .unwrap();
    assert_eq!(found, "ok");
}

on_sqlite!(q37_numbers_beyond_two_to_the_31_work_everywhere);
async fn q37_numbers_beyond_two_to_the_31_work_everywhere(world: World) {
    const FROM: i64 = (1 << 31) + 5;
    let set = "UPDATE jobs_counter SET value = ?1";
    assert_eq!(world.raw().execute(set, [FROM]).unwrap(), 2);
    let bench = world.bench();
    let handle = listens("k".into()).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench
        .jobs()
        .publish(Heard(7), "k".to_owned())
        .await
        .unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 7);
    let events = world
        .driver()
        .inspect()
        .events(None, FROM as u64, 10)
        .await
        .unwrap();
    assert_eq!(events.len(), 1);
    assert!(events[0].seq > FROM as u64);
    bench.jobs().admin().pause("mail").await.unwrap();
    let settings = world.driver().settings("queue/").await.unwrap();
    assert!(settings[0].revision > FROM as u64);
    bench.jobs().admin().resume("mail").await.unwrap();
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "case-heard", key = String)]
struct Heard(u64);

#[job(name = "case-listens", idempotency = "case-listens:{input}")]
async fn listens(input: String) -> Result<u64> {
    let heard = step!("heard", event = Heard, key = input, required).await?;
    Ok(heard.0)
}

on_sqlite!(q39_four_handles_under_load_hear_of_no_busy_file);
async fn q39_four_handles_under_load_hear_of_no_busy_file(world: World) {
    let mut tasks = Vec::new();
    for process in 0..4_u64 {
        let world = world.another().await;
        tasks.push(tokio::spawn(async move {
            let jobs = world.jobs();
            let name = ["a", "b", "c", "d"][process as usize];
            let working = world.start(world.worker(&jobs, name).concurrency(20));
            let mut longest = Duration::ZERO;
            for n in 0..100 {
                let began = Instant::now();
                quick(process * 1_000 + n).enqueue(&jobs).await.unwrap();
                jobs.admin().stats().await.unwrap();
                longest = longest.max(began.elapsed());
            }
            (working, longest)
        }));
    }
    for task in tasks {
        let (working, longest) = within(task).await.unwrap();
        assert!(longest < Duration::from_secs(20), "{longest:?}");
        within(world.log.saw("quick", 400)).await;
        working.stopped().await;
    }
    assert_eq!(world.log.count("quick"), 400);
    for name in ["a", "b", "c", "d"] {
        assert_eq!(world.log.count(&format!("{name} lost")), 0);
    }
    let check: String = world
        .raw()
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

on_sqlite!(q44_a_restored_copy_needs_no_migration_and_a_newer_file_is_refused);
async fn q44_a_restored_copy_needs_no_migration_and_a_newer_file_is_refused(world: World) {
    let job = world.job("kept");
    world.store(&job).await.unwrap();
    let copy = world.path().with_file_name("restored.db");
    world
        .raw()
        .execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    let rows = |path: &std::path::Path| -> Vec<(i64, String)> {
        let file = rusqlite::Connection::open(path).unwrap();
        let mut all = file
            .prepare("SELECT version, name FROM jobs_migration")
            .unwrap();
        let rows = all
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.map(Result::unwrap).collect()
    };
    let before = rows(&copy);
    assert_eq!(before.len(), migrations().len());
    let options = || SqliteOptions::default().env(world.env.clone());
    let store = Sqlite::open(&copy, options()).await.unwrap();
    assert!(store.inspect().job(job.spec.id).await.unwrap().is_some());
    store.close().await;
    assert_eq!(rows(&copy), before);

    let newer = rusqlite::Connection::open(&copy).unwrap();
    newer
        .execute("INSERT INTO jobs_migration VALUES (999, 'later')", [])
        .unwrap();
    drop(newer);
    let refused = Sqlite::open(&copy, options()).await.err().unwrap();
    assert_eq!(refused.code(), "X_SCHEMA_NEWER");
    assert_eq!(
        rows(&copy).len(),
        before.len() + 1,
        "nothing was run or removed"
    );
}

on_sqlite!(d37_the_file_shrinks_when_retention_has_removed_what_was_in_it);
async fn d37_the_file_shrinks_when_retention_has_removed_what_was_in_it(world: World) {
    let bench = world.bench();
    for n in 0..40 {
        let mut job = world.job("case-bulky");
        job.spec.key = Some(format!("k{n}"));
        job.spec.input = Payload::json(format!("\"{}\"", "x".repeat(200_000)));
        world.store(&job).await.unwrap();
    }
    bench.drain().await.unwrap();
    let size = || {
        // What is still in the log goes into the file first.
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        world.raw().query_row(checkpoint, [], |_| Ok(())).unwrap();
        std::fs::metadata(world.path()).unwrap().len()
    };
    let full = size();
    assert!(full > 8_000_000, "{full}");
    world.clock.advance(DAY);
    let bounds = PruneBounds {
        ended_before: world.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: world.now(),
        dead_before: None,
        limit: 1_000,
    };
    let mut pruned = 0;
    for _ in 0..10 {
        pruned += bench.jobs().admin().prune(&bounds).await.unwrap().jobs;
    }
    assert_eq!(pruned, 40);
    let empty = size();
    assert!(empty < full / 8, "{full} bytes became {empty}");
}

#[job(name = "case-bulky", idempotency = "case-bulky:{input}")]
async fn bulky(input: String) -> Result<u64> {
    Ok(input.len() as u64)
}

on_sqlite!(d15_a_statement_that_fails_in_the_middle_of_a_commit_takes_all_of_it_back);
async fn d15_a_statement_that_fails_in_the_middle_of_a_commit_takes_all_of_it_back(world: World) {
    let job = world.job("cut");
    world.store(&job).await.unwrap();
    let held = world.claim(1).await.remove(0);
    for write in ["INSERT ON jobs_step", "UPDATE ON jobs_job"] {
        let cut =
            format!("CREATE TRIGGER cut BEFORE {write} BEGIN SELECT RAISE(ABORT, 'cut'); END");
        world.raw().execute_batch(&cut).unwrap();
        let mut commit = raw::step(&held, 1, "first");
        commit.children = vec![world.job("child")];
        let before = world.view(job.spec.id).await;
        let answer = world.commit(commit).await;
        assert!(
            !matches!(answer, CommitAnswer::Applied(_)),
            "{write}: {answer:?}"
        );
        let after = world.view(job.spec.id).await;
        assert_eq!(
            (after.job, after.journal),
            (before.job, before.journal),
            "{write}"
        );
        world.raw().execute_batch("DROP TRIGGER cut").unwrap();
    }
    let mut commit = raw::step(&held, 1, "first");
    commit.children = vec![world.job("child")];
    assert!(matches!(
        world.commit(commit).await,
        CommitAnswer::Applied(_)
    ));
    assert_eq!(world.state(job.spec.id).await, JobState::Running);
    let page = world
        .driver()
        .inspect()
        .list(&JobFilter::default(), None, 10)
        .await;
    assert_eq!(page.unwrap().jobs.len(), 2);
}
