//! Names that changed while runs were under way: of steps, of jobs, of events.
//!
//! The code of before and the code of now are two branches of one body here, and a deploy takes
//! it from one to the other. The names of before are put together at run time, because in one body
//! the compiler rightly refuses a name beside the step that had it formerly.

use crate::support::{HOUR, Log, bench, error_code, journal, state_of};
use jobs_runtime::core::State as JobState;
use jobs_runtime::core::{
    JobId, JobSpec, NewJob, OnConflict, Payload, Priority, RunId, Timestamp, Visible,
};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "renamed-payment", was = ["renamed-paid"], key = u64)]
struct Payment {
    cents: u64,
}

/// The version of the code; each lease may have another.
#[derive(Clone, Default)]
struct Deployed(std::sync::Arc<std::sync::atomic::AtomicU32>);

impl Deployed {
    fn version(&self) -> u32 {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn deploy(&self, version: u32) {
        self.0.store(version, std::sync::atomic::Ordering::Relaxed);
    }
}

async fn did(log: &Log, what: &str) -> Result<String> {
    log.add(what);
    Ok(what.to_owned())
}

#[steps]
async fn old_billing(log: &Log) -> Result<String> {
    step!("pay", did(log, "old pay"))
        .await
        .map_err(Failure::from)
}

#[steps]
async fn new_billing(log: &Log) -> Result<String> {
    step!("charge", was = ["pay"], did(log, "new charge"))
        .await
        .map_err(Failure::from)
}

#[job(idempotency = "renames:{input}", backoff = "1m")]
async fn renames(input: u32, log: State<Log>, deployed: State<Deployed>) -> Result<String> {
    let mut told = Vec::new();
    if deployed.version() == 1 {
        let (et, il, ce, st) = ("et", "il", "ce", "st");
        told.push(step!("gre{et}", did(&log, "old greet")).await?);
        for n in 0..input {
            told.push(step!("ma{il}:{n}", did(&log, "old mail")).await?);
        }
        told.push(step!("invoi{ce}", steps = old_billing(&log)).await?);
        step!("re{st}", sleep = "2h").await;
    } else {
        told.push(
            step!(
                "welcome",
                was = ["hello", "greet"],
                did(&log, "new welcome")
            )
            .await?,
        );
        for n in 0..input {
            told.push(step!("letter:{n}", was = ["mail:{n}"], did(&log, "new letter")).await?);
        }
        told.push(step!("billing", was = ["invoice"], steps = new_billing(&log)).await?);
        step!("nap", was = ["rest"], sleep = "5h").await;
    }
    Ok(told.join(", "))
}

fn deploying() -> (Bench, Log, Deployed) {
    let deployed = Deployed::default();
    let state = deployed.clone();
    let (bench, log) = bench();
    let own = log.clone();
    let bench = bench.worker(move |worker| worker.state(own.clone()).state(state.clone()));
    (bench, log, deployed)
}

#[tokio::test]
async fn what_was_recorded_under_a_former_name_serves_the_step() {
    let (bench, log, deployed) = deploying();
    deployed.deploy(1);
    let handle = renames(2).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let before = log.lines();
    deployed.deploy(2);
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        "old greet, old mail, old mail, old pay",
        "and the nap ended when the rest would have"
    );
    assert_eq!(log.lines(), before, "nothing ran again");
}

#[tokio::test]
async fn a_record_keeps_the_name_it_was_stored_under() {
    let (bench, _, deployed) = deploying();
    deployed.deploy(1);
    let handle = renames(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    deployed.deploy(2);
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(
        journal(&bench, handle.id()).await,
        ["greet", "mail:0", "invoice/pay", "rest"]
    );
}

#[tokio::test]
async fn new_runs_use_the_new_names() {
    let (bench, _, deployed) = deploying();
    deployed.deploy(2);
    let handle = renames(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(5 * HOUR).await.unwrap();
    assert_eq!(
        journal(&bench, handle.id()).await,
        ["welcome", "letter:0", "billing/charge", "nap"]
    );
}

#[job(
    idempotency = "gives-up:{input}",
    removed = ["mail:{n}", "billing/pay", "nap"]
)]
async fn gives_up(input: u32, log: State<Log>, deployed: State<Deployed>) -> Result<u32> {
    if deployed.version() == 1 {
        let (il, ing, ap) = ("il", "ing", "ap");
        for n in 0..input {
            step!("ma{il}:{n}", did(&log, "mail")).await?;
        }
        step!("bill{ing}", steps = old_billing(&log)).await?;
        step!("n{ap}", sleep = "1h").await;
    }
    step!("pause", sleep = "1h").await;
    if deployed.version() == 3 {
        return Ok(0);
    }
    step!("last", did(&log, "last")).await?;
    step!("end", sleep = "1h").await;
    Ok(input)
}

#[tokio::test]
async fn a_step_that_was_removed_may_stay_in_the_journal() {
    let (bench, _, deployed) = deploying();
    deployed.deploy(1);
    let handle = gives_up(2).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    deployed.deploy(2);
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 2);
}

#[tokio::test]
async fn a_step_that_is_gone_and_not_in_the_list_holds_the_run_for_a_person() {
    let (bench, _, deployed) = deploying();
    deployed.deploy(2);
    let handle = gives_up(2).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR + HOUR / 2).await.unwrap();
    deployed.deploy(3);
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    let code = error_code(&bench, handle.id()).await;
    assert_eq!(code.as_deref(), Some("X_JOURNAL_MISMATCH"));
    deployed.deploy(2);
    bench.jobs().admin().requeue(handle.id()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 2);
}

#[job(
    idempotency = "mail:{input}",
    name = "letters",
    was = ["mails", "renamed-mail"]
)]
async fn letters(input: u64, job: JobContext) -> Result<String> {
    let got = step!("paid", event = Payment, key = input, timeout = "1d").await?;
    Ok(format!("{} {:?}", job.name(), got.map(|event| event.cents)))
}

/// A job as a program stored it that knew it by a former name.
fn by_former_name(name: &str, input: u64) -> NewJob {
    let at = Timestamp(0);
    NewJob {
        spec: JobSpec {
            id: JobId::new(at, u128::from(input)),
            run_id: RunId::new(at, u128::from(input)),
            name: name.into(),
            scope: "renamed-mail".into(),
            queue: "default".into(),
            key: Some(format!("mail:{input}")),
            input: Payload::json(input.to_string()),
            priority: Priority::DEFAULT,
            tenant: None,
            visibility_timeout: None,
            expires_at: None,
            limit_key: None,
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: None,
            labels: BTreeMap::new(),
            version: 0,
            fork_of: None,
            continued_from: None,
            chain: None,
            on_cancel: None,
        },
        visible: Visible::Now,
        attempts_max: 3,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    }
}

#[tokio::test]
async fn a_live_job_under_any_former_name_runs_here() {
    for (name, input) in [("renamed-mail", 1), ("mails", 2), ("letters", 3)] {
        let (bench, _) = bench();
        let job = by_former_name(name, input);
        let id = job.spec.id;
        bench.jobs().enqueue_raw(job).await.unwrap();
        bench.drain().await.unwrap();
        bench
            .jobs()
            .publish(Payment { cents: 5 }, input)
            .await
            .unwrap();
        bench.drain().await.unwrap();
        let view = bench.jobs().admin().show(id).await.unwrap().unwrap();
        assert_eq!(view.job.head.state, JobState::Done);
        let output = view.job.notes.output.unwrap();
        assert_eq!(output.bytes, format!("\"{name} Some(5)\"").into_bytes());
    }
}

#[tokio::test]
async fn r8_the_names_of_a_job_share_their_keys() {
    let (bench, _) = bench();
    let job = by_former_name("mails", 7);
    let id = job.spec.id;
    bench.jobs().enqueue_raw(job).await.unwrap();
    let handle = letters(7).enqueue(bench.jobs()).await.unwrap();
    assert!(handle.deduped());
    assert_eq!(handle.id(), id);
}

/// The event as a program published it that knew it by its former name: the definition of now is
/// left out of the list, so that the two may stand in one program.
#[derive(Serialize, Deserialize)]
struct Paid {
    cents: u64,
}

impl Event for Paid {
    type Key = u64;
    const NAME: &'static str = "renamed-paid";
    const WAS: &'static [&'static str] = &[];
    const TTL: Option<jobs_runtime::core::Millis> = None;

    fn def() -> &'static jobs_runtime::registry::EventDef {
        Payment::def()
    }
}

#[tokio::test]
async fn an_event_under_its_former_name_serves_a_wait_before_and_after_it_began() {
    let (bench, _) = bench();
    let before = letters(8).enqueue(bench.jobs()).await.unwrap();
    bench.jobs().publish(Paid { cents: 1 }, 8).await.unwrap();
    let after = letters(9).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().publish(Paid { cents: 2 }, 9).await.unwrap();
    bench.drain().await.unwrap();
    let jobs = bench.jobs();
    assert_eq!(jobs.wait(&before).await.unwrap(), "letters Some(1)");
    assert_eq!(jobs.wait(&after).await.unwrap(), "letters Some(2)");
}
