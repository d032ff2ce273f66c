//! Corners of `tx` steps: beside a deadline, refused inside a combinator, and with a result that
//! nobody can write down.

use crate::support::{Log, add, app};
use futures::StreamExt;
use futures::future::join;
use futures::stream::FuturesUnordered;
use jobs_runtime::clock::{Clock, Entropy, VirtualClock};
use jobs_runtime::codec::Codec;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::{SqliteTx, StoreHook, Verb};
use std::time::Duration;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "corner-note", key = none)]
struct Note(u64);

#[job(idempotency = "beside-deadline:{input}", attempts = 1)]
async fn beside_deadline(input: i64, log: State<Log>, clock: State<VirtualClock>) -> Result<bool> {
    let write = step!(
        "write",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            log.add("begin");
            clock.sleep(Duration::from_secs(3)).await;
            log.add("end");
            Ok(())
        }
    );
    // Its time is over while the transaction is open, and then the inbox is to be looked at.
    let note = step!("note", event = Note, timeout = "1s");
    let (write, note) = join(write, note).await;
    write?;
    Ok(note?.is_none())
}

/// Logs the heartbeats, by which an inbox is looked at.
struct Beats(Log);

impl StoreHook for Beats {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        if verb == Verb::Heartbeat {
            self.0.add("heartbeat");
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_deadline_beside_an_open_transaction_waits_until_the_inbox_can_be_read() {
    let mut app = app().await;
    app.bench = app.bench.hooked(Beats(app.log.clone()));
    let handle = beside_deadline(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(10)).await.unwrap();
    assert!(app.bench.outcome(&handle).await.unwrap());
    assert_eq!(app.accounts().await, [(7, 1)]);
    let lines = app.log.lines();
    let at = |line: &str| lines.iter().position(|other| other == line).unwrap();
    let beside = &lines[at("begin")..at("end")];
    assert!(!beside.iter().any(|line| line == "heartbeat"), "{lines:?}");
}

#[job(idempotency = "refused-in-a-crowd:{input}", attempts = 1)]
async fn refused_in_a_crowd(input: i64) -> Result<Vec<String>> {
    let write = async {
        let owned = step!(
            "write",
            tx = |tx: &mut SqliteTx| {
                add(tx, input, 1).await?;
                // A deferred rule: only COMMIT finds that there is no such owner.
                sqlx::query("UPDATE account SET owner = 99")
                    .execute(&mut **tx)
                    .await?;
                Ok(())
            }
        );
        owned
            .await
            .err()
            .and_then(|error| error.code().map(str::to_owned))
    };
    let other = async {
        step!("other", async { Ok::<_, Failure>(()) }).await.err();
        None
    };
    let mut crowd: FuturesUnordered<futures::future::BoxFuture<'_, Option<String>>> =
        FuturesUnordered::new();
    crowd.push(Box::pin(write));
    crowd.push(Box::pin(other));
    let mut codes = Vec::new();
    while let Some(code) = crowd.next().await {
        codes.extend(code);
    }
    Ok(codes)
}

#[tokio::test]
async fn a_transaction_refused_at_its_end_wakes_the_branch_that_waits_for_it() {
    let app = app().await;
    let handle = refused_in_a_crowd(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.bench.outcome(&handle).await.unwrap(), ["X_TX_REFUSED"]);
    assert_eq!(app.accounts().await, []);
}

/// Writes everything down but one word.
struct Prudish;

impl Codec for Prudish {
    fn id(&self) -> u16 {
        301
    }

    fn encode(&self, json: Vec<u8>, _: &dyn Entropy) -> Result<Vec<u8>, Error> {
        match json == b"\"unspeakable\"" {
            true => Err(Error::seal_broken("a value of that word")),
            false => Ok(json),
        }
    }

    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(stored.to_vec())
    }
}

#[job(idempotency = "unspeakable:{input}", attempts = 1)]
async fn unspeakable(input: i64) -> Result<String> {
    let said = step!(
        "say",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            Ok("unspeakable".to_owned())
        }
    );
    let refused = said.await.is_err();
    // The right to write is free again for the next one.
    let next = step!("next", tx = |tx: &mut SqliteTx| add(tx, input + 1, 1));
    next.await?;
    Ok(format!("refused: {refused}"))
}

#[tokio::test]
async fn a_result_that_cannot_be_written_down_rolls_its_transaction_back() {
    let mut app = app().await;
    app.bench = app.bench.with_codec(Prudish);
    let handle = unspeakable(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(5)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.bench.outcome(&handle).await.unwrap(), "refused: true");
    assert_eq!(app.accounts().await, [(8, 1)]);
}
