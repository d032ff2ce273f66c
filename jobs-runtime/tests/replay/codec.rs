//! Everything a user hands over goes through the codec, and comes back through it.

use crate::support::{HOUR, Log, bench, error_code, state_of};
use jobs_runtime::codec::{KeyRing, Sealed};
use jobs_runtime::contract::JobView;
use jobs_runtime::core::{Payload, State as JobState, StepOutcome};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;

const SECRET: &str = "4111 1111 1111 1111";
const OLD: [u8; 32] = [1; 32];
const NEW: [u8; 32] = [2; 32];

#[derive(Serialize, Deserialize, PartialEq, Event)]
#[event(name = "codec-card", key = u64)]
struct Card {
    number: String,
}

#[job(idempotency = "sealed-pay:{input.0}")]
async fn sealed_pay(input: (u64, Card)) -> Result<Card> {
    let kept = step!("keep", async { Ok::<_, Failure>(input.1.number.clone()) }).await?;
    let other = step!("other", event = Card, key = input.0, required).await?;
    Ok(Card {
        number: format!("{kept} {}", other.number),
    })
}

fn card() -> Card {
    Card {
        number: SECRET.into(),
    }
}

/// Everything of a job that a user handed over.
fn payloads(view: &JobView) -> Vec<Payload> {
    let mut all = vec![view.job.spec.input.clone()];
    all.extend(view.job.notes.output.clone());
    for record in &view.journal {
        if let Some(StepOutcome::Done(payload)) = &record.outcome {
            all.push(payload.clone());
        }
    }
    all
}

fn sealed(ring: KeyRing) -> Bench {
    bench().0.with_codec(Sealed::new(ring))
}

#[tokio::test]
async fn inputs_results_events_and_outputs_are_sealed_in_the_store() {
    let bench = sealed(KeyRing::new(1, OLD));
    let jobs = bench.jobs();
    let handle = sealed_pay((7, card())).enqueue(jobs).await.unwrap();
    bench.drain().await.unwrap();
    jobs.publish(card(), 7).await.unwrap();
    bench.drain().await.unwrap();
    let output = jobs.wait(&handle).await.unwrap();
    assert_eq!(output.number, format!("{SECRET} {SECRET}"));
    let view = jobs.admin().show(handle.id()).await.unwrap().unwrap();
    let payloads = payloads(&view);
    assert_eq!(payloads.len(), 4, "input, output, step, event");
    for payload in payloads {
        assert_eq!(payload.codec, Sealed::ID);
        assert!(!String::from_utf8_lossy(&payload.bytes).contains("4111"));
    }
    let shown = format!("{view:?} {:?}", handle);
    assert!(!shown.contains("4111"), "{shown}");
}

#[tokio::test]
async fn a_key_is_changed_while_jobs_are_under_way() {
    let before = sealed(KeyRing::new(1, OLD));
    let handle = sealed_pay((7, card()))
        .enqueue(before.jobs())
        .await
        .unwrap();
    before.drain().await.unwrap();
    let after = before.with_codec(Sealed::new(KeyRing::new(2, NEW).reading(1, OLD)));
    after.jobs().publish(card(), 7).await.unwrap();
    after.drain().await.unwrap();
    let output = after.jobs().wait(&handle).await.unwrap();
    assert!(output.number.contains(SECRET));
}

#[tokio::test]
async fn jobs_from_before_the_codec_go_on_under_it() {
    let (plain, _) = bench();
    let handle = sealed_pay((7, card())).enqueue(plain.jobs()).await.unwrap();
    plain.drain().await.unwrap();
    let bench = plain.with_codec(Sealed::new(KeyRing::new(1, OLD)));
    bench.jobs().publish(card(), 7).await.unwrap();
    bench.drain().await.unwrap();
    assert!(bench.jobs().wait(&handle).await.is_ok());
}

#[tokio::test]
async fn a_result_sealed_by_an_unknown_key_holds_the_run_and_names_the_key() {
    let right = sealed(KeyRing::new(1, OLD));
    let handle = sealed_pay((7, card())).enqueue(right.jobs()).await.unwrap();
    right.drain().await.unwrap();
    // The input is of the known key, the recorded step is not.
    let wrong = right.with_codec(Sealed::new(KeyRing::new(2, NEW)));
    wrong.jobs().publish(card(), 7).await.unwrap();
    wrong.drain().await.unwrap();
    let view = wrong
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    let error = view.job.notes.error.unwrap();
    assert_eq!(error.code.as_deref(), Some("X_SEAL_KEY_UNKNOWN"), "{error}");
    assert_eq!(
        view.job.head.attempt, 2,
        "an input that cannot be read costs an attempt"
    );
    let mended = wrong.with_codec(Sealed::new(KeyRing::new(2, NEW).reading(1, OLD)));
    mended.advance(HOUR).await.unwrap();
    assert!(mended.jobs().wait(&handle).await.is_ok());
}

#[job(idempotency = "half-known:{input}")]
async fn half_known(input: u64) -> Result<()> {
    step!("keep", async { Ok::<_, Failure>(input) }).await?;
    step!("nap", sleep = "1h").await;
    Ok(())
}

#[tokio::test]
async fn a_recorded_result_that_does_not_open_holds_the_run() {
    let (plain, _) = bench();
    let handle = half_known(7).enqueue(plain.jobs()).await.unwrap();
    let writer = plain.with_codec(Sealed::new(KeyRing::new(1, OLD)));
    writer.drain().await.unwrap();
    let other = writer.with_codec(Sealed::new(KeyRing::new(1, NEW)));
    other.advance(2 * HOUR).await.unwrap();
    assert_eq!(state_of(&other, handle.id()).await, JobState::Suspended);
    let code = error_code(&other, handle.id()).await;
    assert_eq!(code.as_deref(), Some("X_JOURNAL_MISMATCH"));
    let admin = other.jobs().admin();
    let error = admin
        .show(handle.id())
        .await
        .unwrap()
        .unwrap()
        .job
        .notes
        .error;
    let error = error.unwrap().to_string();
    assert!(
        error.contains("\"keep\"") && error.contains("key 1"),
        "{error}"
    );
}

#[tokio::test]
async fn a_second_enqueue_is_compared_by_value_and_not_by_its_seal() {
    let bench = sealed(KeyRing::new(1, OLD));
    let jobs = bench.jobs();
    sealed_pay((7, card())).enqueue(jobs).await.unwrap();
    let same = sealed_pay((7, card())).enqueue(jobs).await.unwrap();
    assert!(same.deduped() && !same.input_differs());
    let number = "none".to_owned();
    let other = sealed_pay((7, Card { number }))
        .enqueue(jobs)
        .await
        .unwrap();
    assert!(other.deduped() && other.input_differs());
}

#[job(idempotency = "large:{input}", attempts = 1)]
async fn large(input: u64, log: State<Log>) -> Result<()> {
    let _ = log;
    step!("large", async {
        Ok::<_, Failure>("x".repeat(input as usize))
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn b46_limits_hold_for_what_is_stored_and_name_the_step_and_the_size() {
    let limit = jobs_runtime::drivers::memory::DEFAULT_PAYLOAD_LIMIT_BYTES;
    let bench = sealed(KeyRing::new(1, OLD));
    // Two quotes, and the seal.
    let fits = limit - Sealed::OVERHEAD_BYTES - 2;
    let fitting = large(fits as u64).enqueue(bench.jobs()).await.unwrap();
    let over = large(fits as u64 + 1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert!(bench.jobs().wait(&fitting).await.is_ok());
    let error = bench.jobs().wait(&over).await.unwrap_err().to_string();
    let size = (limit + 1).to_string();
    assert!(
        error.contains("\"large\"") && error.contains(&size),
        "{error}"
    );
}

#[job(idempotency = "seals-child:{input}")]
async fn seals_child(input: u64) -> Result<String> {
    let card = step!("child", job = sealed_echo((input, card()))).await?;
    let other = step!(
        "aside",
        job = sealed_echo((
            input + 1,
            Card {
                number: card.number.clone()
            }
        )),
        detached
    )
    .await?;
    Ok(other.id().to_string())
}

#[job(idempotency = "sealed-echo:{input.0}")]
async fn sealed_echo(input: (u64, Card)) -> Result<Card> {
    Ok(input.1)
}

#[tokio::test]
async fn children_are_sealed_like_any_job() {
    let bench = sealed(KeyRing::new(1, OLD));
    let handle = seals_child(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let detached = bench.jobs().wait(&handle).await.unwrap();
    let admin = bench.jobs().admin();
    let view = admin
        .show(detached.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(view.job.spec.input.codec, Sealed::ID);
    let view = admin.show(handle.id()).await.unwrap().unwrap();
    let StepOutcome::Done(output) = view.journal[0].outcome.clone().unwrap() else {
        panic!("the child failed");
    };
    assert_eq!(output.codec, Sealed::ID);
}
