//! Jobs and events stand or fall with the caller's transaction.

use crate::support::{Log, app, open_account};
use jobs_runtime::clock::Entropy;
use jobs_runtime::codec::Codec;
use jobs_runtime::core::{NewJob, OnConflict, State as JobState};
use jobs_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

#[job(idempotency = "greet:{input}", outbox = required)]
async fn greet(input: u64, log: State<Log>) -> Result<u64> {
    log.add(format!("greet {input}"));
    Ok(input)
}

#[derive(Serialize, Deserialize)]
struct Letter {
    to: String,
    text: String,
}

#[job(idempotency = "letter:{input.to}")]
async fn letter(input: Letter) -> Result<String> {
    Ok(input.text)
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "account-opened", key = u64)]
struct AccountOpened {
    cents: u64,
}

#[job(idempotency = "await-account:{input}")]
async fn await_account(input: u64) -> Result<u64> {
    let opened = step!("opened", event = AccountOpened, key = input, timeout = "7d").await?;
    Ok(opened.map_or(0, |opened| opened.cents))
}

#[tokio::test]
async fn a_rollback_leaves_neither_the_row_nor_the_job() {
    let app = app().await;
    let mut tx = app.begin().await;
    open_account(&mut tx, 7).await;
    greet(7).enqueue_in(&mut tx).await.unwrap();
    tx.rollback().await.unwrap();
    assert_eq!(app.accounts().await, []);
    assert_eq!(app.live().await, 0);
    assert_eq!(app.bench.drain().await.unwrap().leases(), 0);
}

#[tokio::test]
async fn a_transaction_that_is_dropped_leaves_neither() {
    let app = app().await;
    let mut tx = app.begin().await;
    open_account(&mut tx, 7).await;
    greet(7).enqueue_in(&mut tx).await.unwrap();
    drop(tx);
    assert_eq!(app.accounts().await, []);
    assert_eq!(app.live().await, 0);
}

#[tokio::test]
async fn a_commit_shows_the_row_and_the_job_together() {
    let app = app().await;
    let mut tx = app.begin().await;
    open_account(&mut tx, 7).await;
    let handle = greet(7).enqueue_in(&mut tx).await.unwrap();
    assert_eq!(app.live().await, 0, "nobody sees it before the COMMIT");
    tx.commit().await.unwrap();
    assert_eq!(app.accounts().await, [(7, 0)]);
    assert_eq!(app.bench.drain().await.unwrap().leases(), 1);
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), 7);
}

#[tokio::test]
async fn what_is_enqueued_in_a_transaction_is_found_by_its_key_in_the_same_one() {
    let app = app().await;
    let mut tx = app.begin().await;
    let first = greet(7).enqueue_in(&mut tx).await.unwrap();
    let second = greet(7).enqueue_in(&mut tx).await.unwrap();
    let third = greet(7)
        .on_conflict(OnConflict::Error)
        .enqueue_in(&mut tx)
        .await;
    tx.commit().await.unwrap();
    assert!(second.deduped() && second.id() == first.id());
    assert_eq!(third.unwrap_err().code(), "X_JOB_DUPLICATE");
    assert_eq!(app.live().await, 1);
}

#[tokio::test]
async fn a_refused_job_leaves_the_transaction_to_its_caller() {
    let app = app().await;
    let mut tx = app.begin().await;
    let huge = Letter {
        to: "a".into(),
        text: "x".repeat(2 * 1024 * 1024),
    };
    let refused = letter(huge).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(refused.code(), "X_PAYLOAD_TOO_LARGE");
    open_account(&mut tx, 7).await;
    greet(7).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.accounts().await, [(7, 0)]);
    assert_eq!(app.live().await, 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_half_way_leaves_nothing_in_the_transaction() {
    let app = app().await;
    for polls in 1..12 {
        let mut tx = app.begin().await;
        open_account(&mut tx, polls).await;
        {
            let mut call = pin!(greet(7).enqueue_in(&mut tx));
            let mut cx = Context::from_waker(Waker::noop());
            for _ in 0..polls {
                // Each answer of the connection takes a moment, and is looked for once.
                if let Poll::Ready(done) = call.as_mut().poll(&mut cx) {
                    done.unwrap();
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        tx.commit().await.unwrap();
        let live = app.live().await;
        if live > 0 {
            // It had come to its end: then all of it is there.
            assert_eq!(app.bench.drain().await.unwrap().leases(), 1);
            return;
        }
    }
    assert_eq!(app.bench.drain().await.unwrap().leases(), 0);
}

#[tokio::test]
async fn a_savepoint_of_the_caller_that_is_rolled_back_takes_its_job_along() {
    use sqlx::Acquire;
    let app = app().await;
    let mut tx = app.begin().await;
    greet(1).enqueue_in(&mut tx).await.unwrap();
    let mut inner = tx.begin().await.unwrap();
    greet(2).enqueue_in(&mut inner).await.unwrap();
    inner.rollback().await.unwrap();
    greet(3).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.bench.drain().await.unwrap().leases(), 2);
    assert_eq!(app.log.count("greet 2"), 0);
}

#[tokio::test]
async fn hostile_text_comes_back_as_it_went_in() {
    let app = app().await;
    let text = "'; DROP TABLE jobs_job; --\0\u{1F980}\"\\?1:x@y$z";
    let mut tx = app.begin().await;
    let handle = letter(Letter {
        to: text.into(),
        text: text.into(),
    })
    .tenant(text)
    .enqueue_in(&mut tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), text);
    let view = app.jobs().admin().show(handle.id()).await.unwrap().unwrap();
    assert_eq!(view.job.spec.tenant.as_deref(), Some(text));
}

#[tokio::test]
async fn an_event_wakes_its_run_with_the_commit_and_not_before() {
    let app = app().await;
    let handle = await_account(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    let mut tx = app.begin().await;
    let opened = AccountOpened { cents: 5 };
    app.jobs().publish_in(&mut tx, opened, 7).await.unwrap();
    tx.rollback().await.unwrap();
    assert_eq!(app.bench.drain().await.unwrap().leases(), 0);
    assert_eq!(app.state_of(handle.id()).await, JobState::Suspended);

    let mut tx = app.begin().await;
    open_account(&mut tx, 7).await;
    let opened = AccountOpened { cents: 9 };
    app.jobs().publish_in(&mut tx, opened, 7).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.bench.drain().await.unwrap().leases(), 1);
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), 9);
}

#[job(idempotency = "greet-as-parent:{input}")]
async fn greet_as_parent(input: u64) -> Result<u64> {
    Ok(step!("greet", job = greet(input)).await?)
}

#[tokio::test]
async fn a_child_may_be_an_outbox_job_because_the_parents_commit_carries_it() {
    let app = app().await;
    let handle = greet_as_parent(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), 7);
}

#[tokio::test]
async fn an_outbox_job_can_be_let_out_by_name() {
    let app = app().await;
    let handle = greet(7).delay(Duration::from_secs(1)).without_outbox();
    let handle = handle.enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(2)).await.unwrap();
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), 7);
}

async fn raw(app: &crate::support::App) -> NewJob {
    // The row of a job of that name, as a tool would have it from elsewhere.
    let handle = greet(1).without_outbox().enqueue(app.jobs()).await.unwrap();
    let view = app.jobs().admin().show(handle.id()).await.unwrap().unwrap();
    let mut spec = view.job.spec;
    spec.id = jobs_runtime::JobId::new(jobs_runtime::Timestamp(5), 5);
    spec.run_id = jobs_runtime::RunId::new(jobs_runtime::Timestamp(5), 5);
    spec.key = Some("greet:raw".into());
    NewJob {
        spec,
        visible: jobs_runtime::core::Visible::Now,
        attempts_max: 1,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    }
}

#[tokio::test]
async fn the_dynamic_path_refuses_an_outbox_job_outside_a_transaction() {
    let app = app().await;
    let row = raw(&app).await;
    let refused = app.jobs().enqueue_raw(row.clone()).await.unwrap_err();
    assert_eq!(refused.code(), "X_OUTBOX_NO_TX");
    assert!(refused.fix().contains("enqueue_in(&mut tx)"), "{refused:?}");
    let mut tx = app.begin().await;
    app.jobs().enqueue_raw_in(&mut tx, row).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.live().await, 2);
}

/// Turns every byte over, and adds a random one in front.
struct Mirror;

impl Codec for Mirror {
    fn id(&self) -> u16 {
        300
    }

    fn encode(&self, json: Vec<u8>, random: &dyn Entropy) -> Result<Vec<u8>, Error> {
        let first = random.bits().to_le_bytes()[0];
        Ok(std::iter::once(first)
            .chain(json.into_iter().map(|byte| !byte))
            .collect())
    }

    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(stored.iter().skip(1).map(|byte| !byte).collect())
    }
}

#[tokio::test]
async fn what_is_enqueued_in_a_transaction_is_sealed_as_the_client_seals() {
    let app = app().await;
    let jobs = app.jobs().clone().with_codec(Mirror);
    let note = |text: &str| {
        letter(Letter {
            to: "a".into(),
            text: text.into(),
        })
    };
    let mut tx = app.begin().await;
    let handle = note("secret").enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    let view = jobs.admin().show(handle.id()).await.unwrap().unwrap();
    assert_eq!(view.job.spec.input.codec, 300);
    let mut tx = app.begin().await;
    let same = note("secret").enqueue_in(&mut tx).await.unwrap();
    let other = note("another").enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert!(same.deduped() && !same.input_differs());
    assert!(other.deduped() && other.input_differs());
}

#[tokio::test]
async fn a_transaction_that_sqlite_itself_ended_takes_no_job() {
    let app = app().await;
    let mut tx = app.begin().await;
    open_account(&mut tx, 7).await;
    // It ends the transaction, and sqlx does not hear of it.
    let again = sqlx::query("INSERT OR ROLLBACK INTO account (id, cents) VALUES (7, 0)");
    again.execute(&mut *tx).await.unwrap_err();
    let error = greet(7).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(error.code(), "X_OUTBOX_NO_TX");
    drop(tx);
    assert_eq!(app.accounts().await, []);
    assert_eq!(app.live().await, 0);
}
