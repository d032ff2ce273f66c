//! R10 under a body: children are enqueued once, heard of once, and cancelled with their parent.

use crate::support::{HOUR, Log, after_polls, bench, error_code, journal, state_of};
use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{Handle, JobId, StoreHook, Verb};
use std::sync::{Arc, Mutex};

/// What a child does before it ends.
#[derive(Serialize, Deserialize, Clone)]
struct Parcel {
    id: u64,
    hours: u32,
    fails: bool,
}

fn parcel(id: u64) -> Parcel {
    Parcel {
        id,
        hours: 0,
        fails: false,
    }
}

#[derive(Debug)]
struct Lost(u64, std::io::Error);

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "parcel {} is lost", self.0)
    }
}

impl std::error::Error for Lost {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.1)
    }
}

#[job(idempotency = "child-parcel:{input.id}", attempts = 1)]
async fn child_parcel(input: Parcel, log: State<Log>) -> Result<String> {
    step!("on-its-way", sleep = HOUR * input.hours).await;
    step!("deliver", deliver(&input, &log)).await?;
    Ok(format!("parcel {}", input.id))
}

async fn deliver(parcel: &Parcel, log: &Log) -> Result<()> {
    if parcel.fails {
        let cause = std::io::Error::other("fell off the cart");
        return Err(Lost(parcel.id, cause).into());
    }
    log.add(format!("delivered {}", parcel.id));
    Ok(())
}

async fn jobs_named(bench: &Bench, name: &str) -> Vec<JobId> {
    let filter = JobFilter {
        name: Some(name.into()),
        ..JobFilter::default()
    };
    let page = bench.jobs().admin().list(&filter, None, 2_000).await;
    page.unwrap().jobs.iter().map(|job| job.spec.id).collect()
}

#[job(idempotency = "child-one:{input.id}")]
async fn child_one(input: Parcel, log: State<Log>) -> Result<String> {
    log.add("body");
    let told = step!(
        "ship",
        job = {
            log.add("request");
            child_parcel(input.clone()).priority(2)
        }
    )
    .await?;
    step!("nap", sleep = "1h").await;
    Ok(told)
}

#[tokio::test]
async fn the_output_of_a_child_is_the_result_of_its_step_live_and_on_replay() {
    let (bench, log) = bench();
    let mut slow = parcel(1);
    slow.hours = 3;
    let handle = child_one(slow).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "parcel 1");
    assert_eq!(log.count("body"), 3, "asked, heard, slept");
    assert_eq!(log.count("request"), 1, "a replay makes no request");
    assert_eq!(journal(&bench, handle.id()).await, ["ship", "nap"]);
    let children = jobs_named(&bench, "child_parcel").await;
    assert_eq!(children.len(), 1);
    let child = bench.jobs().admin().show(children[0]).await.unwrap();
    let spec = child.unwrap().job.spec;
    assert_eq!(spec.parent.unwrap().job, handle.id());
    assert_eq!(spec.priority.level(), 2, "the request is the user's");
}

#[job(idempotency = "child-fails:{input}")]
async fn child_fails(input: u64, log: State<Log>) -> Result<()> {
    let mut lost = parcel(input);
    lost.fails = true;
    let error = step!("ship", job = child_parcel(lost.clone())).await;
    let Err(error) = error else { return Ok(()) };
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    log.add(format!(
        "{} | {} | {cause:?}",
        error.step(),
        error.message()
    ));
    step!("nap", sleep = "1h").await;
    Ok(())
}

#[tokio::test]
async fn d22_the_error_of_a_child_is_the_same_on_replay() {
    let (bench, log) = bench();
    let handle = child_fails(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    bench.jobs().wait(&handle).await.unwrap();
    let told = log.lines();
    let told: Vec<_> = told.iter().filter(|line| line.contains('|')).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0], told[1]);
    assert!(told[0].starts_with("ship | "), "{told:?}");
    assert!(told[0].contains("parcel 7 is lost"), "{told:?}");
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 1);
}

#[job(idempotency = "child-retried:{input}", attempts = 3, backoff = "1m")]
async fn child_retried(input: u64) -> Result<()> {
    let mut lost = parcel(input);
    lost.fails = true;
    step!("ship", job = child_parcel(lost.clone())).await?;
    Ok(())
}

#[tokio::test]
async fn a_child_whose_error_left_the_body_is_another_job_at_the_next_attempt() {
    let (bench, _) = bench();
    let handle = child_retried(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Dead);
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 3);
}

#[job(idempotency = "child-many:{input}")]
async fn child_many(input: u64) -> Result<Vec<String>> {
    let children = (0..input).map(|id| {
        let one = Parcel {
            hours: (id % 7) as u32,
            ..parcel(id)
        };
        step!("ship:{id}", job = move child_parcel(one))
    });
    let told = join_all(children).await;
    Ok(told.into_iter().collect::<Result<_, _>>()?)
}

#[tokio::test]
async fn results_of_children_come_in_the_order_of_asking() {
    let (bench, log) = bench();
    let handle = child_many(40).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    let expected: Vec<String> = (0..40).map(|id| format!("parcel {id}")).collect();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), expected);
    let delivered = log.lines();
    assert_eq!(
        delivered
            .iter()
            .filter(|line| line.starts_with("delivered"))
            .count(),
        40
    );
}

#[job(idempotency = "child-unordered:{input}")]
async fn child_unordered(input: u64, log: State<Log>) -> Result<()> {
    let mut children: FuturesUnordered<_> = (0..input)
        .map(|id| {
            let hours = (input - id) as u32;
            let one = Parcel {
                hours,
                ..parcel(id)
            };
            step!("ship:{id}", job = move child_parcel(one))
        })
        .collect();
    let mut order = Vec::new();
    while let Some(told) = children.next().await {
        order.push(told?);
        log.add(format!("order {}", order.join(", ")));
    }
    Ok(())
}

#[tokio::test]
async fn children_are_taken_in_the_recorded_order_on_every_replay() {
    let (bench, log) = bench();
    let handle = child_unordered(4).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    bench.jobs().wait(&handle).await.unwrap();
    let lines = log.lines();
    let last = lines.iter().rfind(|line| line.starts_with("order"));
    let last = last.unwrap();
    assert_eq!(last, "order parcel 3, parcel 2, parcel 1, parcel 0");
    for line in lines.iter().filter(|line| line.starts_with("order")) {
        assert!(last.starts_with(line.as_str()), "{line}");
    }
}

#[job(idempotency = "child-detached:{input}")]
async fn child_detached(input: u64, log: State<Log>) -> Result<String> {
    let slow = Parcel {
        hours: 5,
        ..parcel(input)
    };
    let sent: Handle<child_parcel> =
        step!("notify", job = child_parcel(slow.clone()), detached).await?;
    log.add(format!("sent {} {}", sent.id(), sent.deduped()));
    step!("nap", sleep = "1h").await;
    Ok(sent.id().to_string())
}

#[tokio::test]
async fn a_detached_child_is_not_waited_for_and_its_handle_is_kept() {
    let (bench, log) = bench();
    let handle = child_detached(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    let id = bench.jobs().wait(&handle).await.unwrap();
    let sent: JobId = id.parse().unwrap();
    assert_eq!(log.count(&format!("sent {id} false")), 2, "live and replay");
    assert_eq!(state_of(&bench, sent).await, JobState::Suspended);
    let child = bench.jobs().admin().show(sent).await.unwrap().unwrap();
    assert_eq!(child.job.spec.parent, None);
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, sent).await, JobState::Done);
}

#[tokio::test]
async fn a_detached_child_whose_key_is_taken_is_the_job_that_has_it() {
    let (bench, log) = bench();
    let first = child_parcel(parcel(3)).delay(9 * HOUR);
    let first = first.enqueue(bench.jobs()).await.unwrap();
    let handle = child_detached(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    let id = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(id, first.id().to_string());
    assert_eq!(log.count(&format!("sent {id} true")), 2);
}

#[tokio::test]
async fn a_detached_child_outlives_the_cancelling_of_its_parent() {
    let (bench, _) = bench();
    let handle = child_detached(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    let sent = jobs_named(&bench, "child_parcel").await;
    assert_eq!(state_of(&bench, sent[0]).await, JobState::Done);
}

#[job(idempotency = "child-tree:{input}")]
async fn child_tree(input: u64) -> Result<u64> {
    if input == 0 {
        step!("rest", sleep = "9h").await;
        return Ok(0);
    }
    let (left, right) = tokio::join!(
        step!("left", job = child_tree(input - 1)),
        step!(
            "slow",
            job = child_parcel(Parcel {
                hours: 20,
                ..parcel(input)
            })
        ),
    );
    right?;
    Ok(left? + 1)
}

#[tokio::test]
async fn d31_cancelling_a_job_cancels_its_children_and_theirs() {
    let (bench, log) = bench();
    let theirs = child_parcel(Parcel {
        hours: 20,
        ..parcel(2)
    });
    let theirs = theirs.enqueue(bench.jobs()).await.unwrap();
    let handle = child_tree(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let tree = jobs_named(&bench, "child_tree").await;
    assert_eq!(tree.len(), 4);
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    for id in &tree {
        assert_eq!(state_of(&bench, *id).await, JobState::Cancelled);
    }
    for id in jobs_named(&bench, "child_parcel").await {
        let expected = if id == theirs.id() {
            JobState::Suspended
        } else {
            JobState::Cancelled
        };
        assert_eq!(state_of(&bench, id).await, expected, "joined, not owned");
    }
    bench.advance(30 * HOUR).await.unwrap();
    assert_eq!(jobs_named(&bench, "child_tree").await.len(), 4);
    let lines = log.lines();
    let done: Vec<_> = lines.iter().filter(|l| l.starts_with("deliver")).collect();
    assert_eq!(done, ["delivered 2"]);
}

#[tokio::test]
async fn a_cancelled_parent_that_is_revived_enqueues_its_children_anew() {
    let (bench, _) = bench();
    let slow = Parcel {
        hours: 3,
        ..parcel(1)
    };
    let handle = child_one(slow).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().admin().cancel(handle.id()).await.unwrap();
    bench.jobs().admin().requeue(handle.id()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "parcel 1");
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 2);
}

#[tokio::test]
async fn a_child_step_that_is_requeued_is_another_job() {
    let (bench, log) = bench();
    let handle = child_one(parcel(1)).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    let admin = bench.jobs().admin();
    admin.requeue_from(handle.id(), "ship").await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(log.count("delivered 1"), 2);
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Done);
}

#[job(idempotency = "child-and-failure:{input}", attempts = 1)]
async fn child_and_failure(input: u64) -> Result<String> {
    let slow = Parcel {
        hours: 3,
        ..parcel(input)
    };
    let (told, ()) = tokio::try_join!(
        async { Ok::<_, Failure>(step!("ship", job = child_parcel(slow.clone())).await?) },
        async {
            step!("nap", sleep = "1h").await;
            step!("trip", trip()).await?;
            Ok(())
        },
    )?;
    Ok(told)
}

async fn trip() -> Result<()> {
    static TRIPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    if TRIPPED.swap(true, std::sync::atomic::Ordering::SeqCst) {
        return Ok(());
    }
    Err(Failure::msg("tripped"))
}

#[tokio::test]
async fn children_of_a_parent_that_failed_go_on_and_are_heard_of_when_it_is_revived() {
    let (bench, log) = bench();
    let handle = child_and_failure(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Dead);
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(log.count("delivered 1"), 1, "the child went on");
    bench.jobs().admin().requeue(handle.id()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "parcel 1");
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 1);
}

#[tokio::test]
async fn a_child_that_was_cancelled_by_a_person_ends_its_parent() {
    let (bench, _) = bench();
    let slow = Parcel {
        hours: 3,
        ..parcel(1)
    };
    let handle = child_one(slow).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let child = jobs_named(&bench, "child_parcel").await[0];
    bench.jobs().admin().cancel(child).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Failed);
    let code = error_code(&bench, handle.id()).await;
    assert_eq!(code.as_deref(), Some("X_JOB_CANCELLED"));
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 1);
}

#[job(idempotency = "child-cycle:{input.0}", attempts = 2, backoff = "1m")]
async fn child_cycle(input: (u64, u64)) -> Result<()> {
    if input.1 == 0 {
        return Ok(step!("back", job = child_cycle((0, 9))).await?);
    }
    Ok(step!("on", job = child_cycle((input.0 + 1, input.1 - 1))).await?)
}

#[tokio::test]
async fn a_child_that_would_wait_for_its_ancestor_is_refused_by_name() {
    let (bench, _) = bench();
    let handle = child_cycle((0, 3)).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Failed);
    let code = error_code(&bench, handle.id()).await;
    assert_eq!(code.as_deref(), Some("X_CHILD_CYCLE"));
    assert_eq!(jobs_named(&bench, "child_cycle").await.len(), 4);
}

#[job(idempotency = |input| input.0.clone())]
async fn child_of_any_key(input: (String, String)) -> Result<usize> {
    Ok(step!("length", async { Ok::<_, Failure>(input.1.len()) }).await?)
}

#[job(idempotency = "child-refused:{input}")]
async fn child_refused(input: u64) -> Result<Vec<String>> {
    let large = "x".repeat(2 * 1024 * 1024);
    let (empty, large, good, loud) = tokio::join!(
        step!(
            "empty",
            job = child_of_any_key((String::new(), String::new()))
        ),
        step!(
            "large",
            job = child_of_any_key(("large".into(), large.clone()))
        ),
        step!(
            "good",
            job = child_of_any_key((format!("good-{input}"), "abc".into()))
        ),
        step!(
            "loud",
            job = child_of_any_key(("taken".into(), String::new())).on_conflict(OnConflict::Error)
        ),
    );
    step!("nap", sleep = "1h").await;
    let code = |result: Result<usize, StepError>| match result {
        Ok(length) => length.to_string(),
        Err(error) => error.code().unwrap_or_default().to_owned(),
    };
    Ok([empty, large, good, loud].map(code).to_vec())
}

#[tokio::test]
async fn a_child_that_is_refused_is_an_error_of_its_step_alone() {
    let (bench, _) = bench();
    let taken = child_of_any_key(("taken".into(), String::new())).delay(9 * HOUR);
    taken.enqueue(bench.jobs()).await.unwrap();
    let handle = child_refused(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        [
            "X_IDEMPOTENCY_REQUIRED",
            "X_PAYLOAD_TOO_LARGE",
            "3",
            "X_JOB_DUPLICATE"
        ]
    );
}

#[job(idempotency = "child-twice:{input}")]
async fn child_twice(input: u64) -> Result<(String, String)> {
    let slow = Parcel {
        hours: 1,
        ..parcel(input)
    };
    let pair = tokio::try_join!(step!("one", job = child_parcel(slow.clone())), async {
        let told = step!("two", job = child_parcel(slow.clone())).await;
        step!("nap", sleep = "2h").await;
        told
    },)?;
    Ok(pair)
}

#[tokio::test]
async fn two_steps_that_ask_for_one_key_share_the_child() {
    let (bench, _) = bench();
    let handle = child_twice(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    let (one, two) = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!((one.as_str(), two.as_str()), ("parcel 1", "parcel 1"));
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 1);
}

#[job(idempotency = "child-race:{input}")]
async fn child_race(input: u64) -> Result<String> {
    let slow = Parcel {
        hours: 5,
        ..parcel(input)
    };
    let told = tokio::select! { biased;
        told = step!("ship", job = child_parcel(slow.clone())) => told?,
        _ = step!("deadline", sleep = "1h") => "too late".into(),
    };
    step!("nap", sleep = "9h").await;
    Ok(told)
}

#[tokio::test]
async fn a_child_that_lost_a_race_goes_on_and_is_not_heard_of() {
    let (bench, log) = bench();
    let handle = child_race(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(30 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "too late");
    assert_eq!(log.count("delivered 1"), 1);
    let view = bench.jobs().admin().show(handle.id()).await.unwrap();
    assert!(view.unwrap().inbox.is_empty());
    assert_eq!(journal(&bench, handle.id()).await, ["deadline", "nap"]);
}

#[job(idempotency = "child-beside-body:{input}")]
async fn child_beside_body(input: u64) -> Result<String> {
    let (told, work) = tokio::join!(
        step!("ship", job = child_parcel(parcel(input))),
        step!("work", after_polls(200, 7)),
    );
    Ok(format!("{} {}", told?, work?))
}

#[tokio::test]
async fn a_child_is_enqueued_while_a_body_runs() {
    let (bench, log) = bench();
    let handle = child_beside_body(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "parcel 1 7");
    assert_eq!(log.count("start work"), 1);
}

/// Cuts the store off after its n-th commit, whose answer is lost, until it is mended.
#[derive(Clone, Default)]
struct Cut(Arc<Mutex<(usize, bool)>>);

impl Cut {
    fn after(commits: usize) -> Self {
        Cut(Arc::new(Mutex::new((commits, false))))
    }

    /// True if the store had been cut off.
    fn mend(&self) -> bool {
        let mut cut = self.0.lock().unwrap();
        cut.0 = usize::MAX;
        std::mem::take(&mut cut.1)
    }

    fn gone() -> Result<(), Error> {
        Err(Error::driver_unavailable("test", "cut off", "wait"))
    }
}

impl StoreHook for Cut {
    fn before(&self, _: Verb) -> Result<(), Error> {
        match self.0.lock().unwrap().1 {
            true => Cut::gone(),
            false => Ok(()),
        }
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        let mut cut = self.0.lock().unwrap();
        if verb != Verb::Commit {
            return Ok(());
        }
        cut.0 -= 1;
        if cut.0 > 0 {
            return Ok(());
        }
        cut.1 = true;
        Cut::gone()
    }
}

#[job(idempotency = "child-crash:{input}")]
async fn child_crash(input: u64) -> Result<(String, String)> {
    step!("before", after_polls(1, ())).await?;
    let sent = step!(
        "notify",
        job = child_parcel(parcel(input + 100)).attempts(5),
        detached
    )
    .await?;
    let pair = tokio::try_join!(
        step!("one", job = child_parcel(parcel(input)).attempts(5)),
        step!("two", job = child_parcel(parcel(input + 1)).attempts(5)),
    )?;
    let sent = sent.id();
    step!("after:{sent}", after_polls(1, ())).await?;
    Ok(pair)
}

#[tokio::test]
async fn a_worker_that_dies_after_any_commit_leaves_each_child_once() {
    let mut cuts = 0;
    for commits in 1.. {
        let (bench, log) = bench();
        let cut = Cut::after(commits);
        let bench = bench.hooked(cut.clone());
        let handle = child_crash(1).enqueue(bench.jobs()).await.unwrap();
        let drained = bench.drain().await;
        let was_cut = cut.mend();
        assert_eq!(drained.is_err(), was_cut);
        // The leases of the dead worker run out.
        bench.advance(HOUR).await.unwrap();
        assert_eq!(state_of(&bench, handle.id()).await, JobState::Done);
        let pair = bench.jobs().wait(&handle).await.unwrap();
        assert_eq!(pair, ("parcel 1".into(), "parcel 2".into()), "{commits}");
        assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 3);
        for id in [1, 2, 101] {
            let times = log.count(&format!("delivered {id}"));
            assert!((1..=2).contains(&times), "{commits}: {id}");
        }
        if !was_cut {
            break;
        }
        cuts += 1;
    }
    assert!(cuts >= 8, "only {cuts} commits were cut");
}

#[steps]
async fn child_in_helper(parcels: &[u64]) -> Result<Vec<String>> {
    let children = parcels.iter().map(|id| {
        step!(
            "ship:{id}",
            was = ["send:{id}"],
            job = child_parcel(parcel(*id))
        )
    });
    let told = join_all(children).await;
    Ok(told.into_iter().collect::<Result<_, _>>()?)
}

#[job(idempotency = "child-below-helper:{input}")]
async fn child_below_helper(input: u64) -> Result<Vec<String>> {
    step!("shipping", steps = child_in_helper(&[input, input + 1])).await
}

#[tokio::test]
async fn children_of_a_helper_belong_to_the_job_that_calls_it() {
    let (bench, _) = bench();
    let handle = child_below_helper(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let told = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(told, ["parcel 1", "parcel 2"]);
    let mut steps = journal(&bench, handle.id()).await;
    steps.sort();
    assert_eq!(steps, ["shipping/ship:1", "shipping/ship:2"]);
    let child = jobs_named(&bench, "child_parcel").await[0];
    let child = bench.jobs().admin().show(child).await.unwrap().unwrap();
    let parent = child.job.spec.parent.unwrap();
    assert_eq!(parent.job, handle.id());
    assert!(steps.contains(&parent.step), "{}", parent.step);
}
