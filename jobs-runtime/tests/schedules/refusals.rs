//! What no schedule can be made of at run time: refused with a code and a remedy, and nothing is
//! stored.

use crate::support::World;
use jobs_runtime::prelude::*;
use jobs_runtime::{JobTemplate, Schedulable};
use std::time::Duration;

#[task(every = "1h")]
async fn refusing_hourly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Region {
    region: String,
}

#[job(name = "refused-report", idempotency = "refused-report:{input.region}")]
async fn refused_report(input: Region) -> Result<()> {
    let _ = input;
    Ok(())
}

#[job(name = "refused-payment", idempotency = "refused-payment:{input}", outbox = required)]
async fn refused_payment(input: u64) -> Result<()> {
    let _ = input;
    Ok(())
}

fn report() -> Request<refused_report> {
    let region = "eu".into();
    refused_report(Region { region })
}

use jobs_runtime::Request;

/// The code, and the whole of what is said.
async fn refused(name: &str, when: &str, zone: &str, job: impl Schedulable) -> (String, String) {
    let bench = World::memory().bench().await;
    let admin = bench.jobs().admin();
    let error = admin
        .schedule(name, when)
        .zone(zone)
        .set(job)
        .await
        .unwrap_err();
    let stored = admin.schedules().await.unwrap();
    assert!(stored.iter().all(|it| it.job.is_none()));
    let mut text = format!("{error}; {}", error.fix());
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}; {cause}");
        source = cause.source();
    }
    (error.code().to_owned(), text)
}

#[tokio::test]
async fn an_expression_that_is_none_is_refused_as_the_compiler_does_it() {
    let (code, text) = refused("report", "0 24 * * *", "UTC", report()).await;
    assert_eq!(code, "X_SCHEDULE_INVALID");
    assert!(text.contains("write `0` for midnight"), "{text}");
    let (code, text) = refused("report", "0 0 30 2 *", "UTC", report()).await;
    assert_eq!(code, "X_SCHEDULE_INVALID");
    assert!(text.contains("never fire"), "{text}");
    let (code, _) = refused("report", "every 0s", "UTC", report()).await;
    assert_eq!(code, "X_SCHEDULE_INVALID");
}

#[tokio::test]
async fn a_zone_that_is_none_is_refused_with_the_one_meant() {
    let (code, text) = refused("report", "0 3 * * *", "Europe/Pariss", report()).await;
    assert_eq!(code, "X_SCHEDULE_INVALID");
    assert!(text.contains("Europe/Paris\"?"), "{text}");
}

#[tokio::test]
async fn a_job_that_this_program_does_not_know_is_refused_with_the_one_meant() {
    let job = JobTemplate::new("refused-reprot", "{}");
    let (code, text) = refused("report", "@daily", "UTC", job).await;
    assert_eq!(code, "X_JOB_UNKNOWN");
    assert!(text.contains("did you mean \"refused-report\"?"), "{text}");
    let (_, text) = refused("report", "@daily", "UTC", JobTemplate::new("elsewhere", "")).await;
    assert!(text.contains("program that defines the job"), "{text}");
}

#[tokio::test]
async fn an_input_that_the_job_does_not_take_is_refused_with_the_reason() {
    for input in ["{}", "not json", r#"{"region":7}"#, ""] {
        let job = JobTemplate::new("refused-report", input);
        let (code, text) = refused("report", "@daily", "UTC", job).await;
        assert_eq!(code, "X_INPUT_UNDECODABLE", "{input}");
        assert!(text.contains("refused-report"), "{text}");
    }
    let job = JobTemplate::new("refused-report", "{}");
    let (_, text) = refused("report", "@daily", "UTC", job).await;
    assert!(text.contains("missing field `region`"), "{text}");
}

#[tokio::test]
async fn a_task_is_put_on_no_other_schedule() {
    let job = JobTemplate::new("refusing_hourly", "null");
    let (code, text) = refused("report", "@daily", "UTC", job).await;
    assert_eq!(code, "X_SCHEDULE_INVALID");
    assert!(text.contains("a schedule of its own"), "{text}");
}

#[tokio::test]
async fn the_name_of_a_task_is_no_other_schedules() {
    let (code, text) = refused("refusing_hourly", "@daily", "UTC", report()).await;
    assert_eq!(code, "X_JOB_DUPLICATE");
    assert!(text.contains("another name"), "{text}");
}

#[tokio::test]
async fn what_a_request_says_of_one_enqueue_is_refused_and_not_dropped() {
    let minute = Duration::from_secs(60);
    for (word, request) in [
        ("delay", report().delay(minute)),
        ("unique_for", report().unique_for(minute)),
        ("debounce", report().debounce(minute)),
        ("on_conflict", report().on_conflict(OnConflict::Error)),
    ] {
        let (code, text) = refused("report", "@daily", "UTC", request).await;
        assert_eq!(code, "X_SCHEDULE_INVALID");
        assert!(text.contains(word), "{text}");
    }
}

#[tokio::test]
async fn a_job_that_needs_a_transaction_is_refused_unless_somebody_lets_it_go_without() {
    let job = JobTemplate::new("refused-payment", "7");
    let (code, _) = refused("payment", "@daily", "UTC", job).await;
    assert_eq!(code, "X_OUTBOX_NO_TX");
    let bench = World::memory().bench().await;
    let payment = refused_payment(7).without_outbox();
    let admin = bench.jobs().admin();
    admin
        .schedule("payment", "@daily")
        .set(payment)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_name_and_an_input_have_their_lengths() {
    let long = "r".repeat(jobs_runtime::SCHEDULE_NAME_LIMIT_BYTES + 1);
    for name in ["", "two\nlines", &long] {
        let (code, _) = refused(name, "@daily", "UTC", report()).await;
        assert_eq!(code, "X_NAME_INVALID", "{name:?}");
    }
    let region = "e".repeat(jobs_runtime::SCHEDULE_INPUT_LIMIT_BYTES);
    let (code, _) = refused("report", "@daily", "UTC", refused_report(Region { region })).await;
    assert_eq!(code, "X_PAYLOAD_TOO_LARGE");
    let tenant = "t".repeat(2_000);
    let (code, _) = refused("report", "@daily", "UTC", report().tenant(tenant)).await;
    assert_eq!(code, "X_NAME_INVALID");
}
