//! Parents and children that are cancelled, revived, asked for twice, or of one another.

use super::*;

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
