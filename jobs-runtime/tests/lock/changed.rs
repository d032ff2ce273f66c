//! A program and what became of it: two jobs that rustc compiled, compared as if they were one job
//! before and after an edit. What is said of each kind of change is tested in
//! `src/lock/compare/tests.rs`; here it is seen that a body tells it.

use jobs_runtime::Job;
use jobs_runtime::lock::{Finding, Lock, Risk, compare};
use jobs_runtime::prelude::*;
use schemars::JsonSchema;

#[derive(Serialize, Deserialize, JsonSchema, Event)]
#[event(name = "trial-paid", key = none)]
struct Paid {}

#[derive(Serialize, Deserialize, JsonSchema, Event)]
#[event(name = "trial-billed", key = none)]
struct Billed {}

/// With a schema.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Account {
    id: u64,
}

/// An account of which stored values do not tell all.
#[derive(Serialize, Deserialize, JsonSchema)]
struct NamedAccount {
    id: u64,
    name: String,
}

/// Without one.
#[derive(Serialize, Deserialize)]
struct Ticket;

#[derive(Serialize, Deserialize)]
struct Coupon;

async fn given<T>(value: T) -> Result<T> {
    Ok(value)
}

#[job(name = "trial.first", idempotency = none)]
async fn first(id: u64) -> Result<()> {
    let account = step!("create-account", given(Account { id })).await?;
    step!("ticket", given(Ticket)).await?;
    step!("paid", event = Paid, timeout = "1d").await?;
    step!("welcome", { Ok(account.id) }).await?;
    Ok(())
}

#[job(name = "trial.same", idempotency = none)]
async fn same(id: u64) -> Result<()> {
    let account = step!("create-account", { Ok(Account { id }) }).await?;
    let ticket = step!("ticket", move given(Ticket));
    step!("paid", event = Paid, timeout = "2d").await?;
    ticket.await?;
    step!("welcome", given(account.id)).await?;
    Ok(())
}

#[job(name = "trial.renamed", idempotency = none)]
async fn renamed(id: u64) -> Result<()> {
    let account = step!("create-account", given(Account { id })).await?;
    step!("ticket", given(Ticket)).await?;
    step!("paid", event = Paid, timeout = "1d").await?;
    step!("welcomed", { Ok(account.id) }).await?;
    Ok(())
}

#[job(name = "trial.removed", idempotency = none)]
async fn removed(id: u64) -> Result<()> {
    let account = step!("create-account", given(Account { id })).await?;
    step!("paid", event = Paid, timeout = "1d").await?;
    step!("welcome", { Ok(account.id) }).await?;
    Ok(())
}

#[job(name = "trial.retyped", idempotency = none)]
async fn retyped(id: u64) -> Result<()> {
    let name = id.to_string();
    let account = step!("create-account", move given(NamedAccount { id, name })).await?;
    step!("ticket", given(Coupon)).await?;
    step!("paid", event = Billed, timeout = "1d").await?;
    step!("welcome", { Ok(account.id.to_string()) }).await?;
    Ok(())
}

#[job(name = "trial.longer", idempotency = none)]
async fn longer(id: u64) -> Result<()> {
    let account = step!("create-account", given(Account { id })).await?;
    step!("ticket", given(Ticket)).await?;
    step!("paid", event = Paid, timeout = "1d").await?;
    step!("welcome", { Ok(account.id) }).await?;
    step!("remember", given(account.id)).await?;
    Ok(())
}

/// The lock of a program that has the job `J`, under the name `trial`, and nothing else.
fn lock_of<J: Job>() -> Lock {
    let mut lock = Lock::of_program().unwrap();
    let job = lock.jobs.remove(J::def().name).unwrap();
    lock.jobs.clear();
    lock.jobs.insert("trial".to_owned(), job);
    lock
}

fn found<Before: Job, After: Job>() -> Vec<Finding> {
    compare(&lock_of::<Before>(), &lock_of::<After>()).findings
}

/// That this change is told, and of its remedy a part.
#[track_caller]
fn tells(found: &[Finding], subject: &str, risk: Risk, change: &str, remedy: &str) {
    let told = found.iter().any(|it| {
        let is_about = it.subject.starts_with(subject) && it.change == change;
        is_about && it.risk == risk && it.remedy.contains(remedy)
    });
    assert!(told, "{change} of {subject} is not told: {found:#?}");
}

#[test]
fn a_body_that_is_written_otherwise_and_stores_the_same_is_no_change() {
    assert_eq!(found::<first, same>(), []);
}

#[test]
fn a_renamed_step_is_risky() {
    let found = found::<first, renamed>();
    tells(
        &found,
        "step \"welcome\"",
        Risk::Risky,
        "step_renamed",
        "write `was = [\"welcome\"]`",
    );
    assert_eq!(found.iter().filter(|it| it.risk == Risk::Risky).count(), 1);
}

#[test]
fn a_removed_step_is_risky() {
    let found = found::<first, removed>();
    tells(
        &found,
        "step \"ticket\"",
        Risk::Risky,
        "step_removed",
        "write `removed = [\"ticket\"]`",
    );
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_step_that_gives_another_type_is_risky() {
    let found = found::<first, retyped>();
    let risky = |step, change, remedy| tells(&found, step, Risk::Risky, change, remedy);
    // With schemas it is said what of the type differs; without, that it is another.
    let default = "put `#[serde(default)]` on `name`";
    risky("step \"create-account\"", "field_added", default);
    risky(
        "step \"ticket\"",
        "output_changed",
        "keep lock::changed::Ticket",
    );
    risky("step \"welcome\"", "output_changed", "");
    risky("step \"paid\"", "event_changed", "was = [\"trial-paid\"]");
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().all(|it| !it.remedy.is_empty()), "{found:#?}");
}

#[test]
fn a_new_step_is_safe() {
    let found = found::<first, longer>();
    tells(&found, "step \"remember\"", Risk::Safe, "step_added", "");
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_new_job_is_safe() {
    let (before, mut after) = (lock_of::<first>(), lock_of::<first>());
    let job = lock_of::<longer>().jobs.remove("trial").unwrap();
    after.jobs.insert("another".to_owned(), job);
    let found = compare(&before, &after).findings;
    tells(&found, "job \"another\"", Risk::Safe, "job_added", "");
    assert_eq!(found.len(), 1, "{found:#?}");
}
