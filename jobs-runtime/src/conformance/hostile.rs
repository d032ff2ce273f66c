//! Hostile sizes and shapes on every verb: what is too large, too long or no text at all is stored
//! as it is, or refused with a code before anything is written.
//!
//! Here are sizes and payloads; texts that have been syntax to somebody are in `text.rs`.

use super::shapes::{EventShape, JobShape, done, wait};
use super::{Failure, Result, Subject};
use crate::contract::{MAX_NAME_BYTES, SettingWrite};
use crate::core::{
    CleanUp, MAX_KEY_BYTES, Millis, NewEvent, NewJob, Parent, Payload, Priority, RecordKind,
    StepRecord, TickRef,
};

/// Payloads that are no value of anybody, and yet bytes like others.
fn shapes() -> Vec<(&'static str, Vec<u8>)> {
    let deep = [vec![b'['; 10_000], vec![b']'; 10_000]].concat();
    let keys: String = (0..60_000).map(|key| format!("\"{key:x}\":0,")).collect();
    vec![
        ("nothing", Vec::new()),
        ("a byte of zero", vec![0]),
        ("every byte", (0..=255).collect()),
        ("no UTF-8", vec![0xFF, 0xFE, 0xC3, 0x28]),
        ("a surrogate in bytes", vec![0xED, 0xA0, 0x80]),
        ("a surrogate in JSON", br#""\ud800""#.to_vec()),
        ("a number that is none", b"NaN".to_vec()),
        ("a number without end", b"-Infinity".to_vec()),
        ("the largest i128", i128::MAX.to_string().into_bytes()),
        ("a number of many digits", vec![b'9'; 5_000]),
        ("JSON cut short", br#"{"a":[1,"#.to_vec()),
        ("JSON ten thousand deep", deep),
        (
            "a map of many keys",
            format!("{{{}\"z\":1}}", keys).into_bytes(),
        ),
        ("one key twice", br#"{"a":1,"a":2}"#.to_vec()),
        ("a terminal's escapes", b"\x1b]0;title\x07\x1b[2J".to_vec()),
        ("a mark of byte order", "\u{feff}{}".into()),
    ]
}

case!(f22_a_payload_of_any_shape_comes_back_from_everywhere);
async fn f22_a_payload_of_any_shape_comes_back_from_everywhere(s: Subject) -> Result {
    for (name, bytes) in shapes() {
        let job = s.job("mail").input(bytes.clone());
        let mut holder = s.start(&job).await?;
        check!(
            holder.claimed.job.spec.input.bytes == bytes,
            "{name}, input"
        );
        let waiting = wait("wait", name, None, s.now());
        let step = holder.step("step", bytes.clone());
        s.apply(&holder.park(vec![step, waiting.clone()], None))
            .await?;
        s.publish(&s.event(name).payload(bytes.clone())).await?;
        let mut next = s.claim_one().await?;
        check!(next.inbox() == [bytes.clone()], "{name}, event");
        let inbox = next.claimed.nudge.inbox.clone();
        let record = next.deliver_event(waiting, &inbox)?;
        s.apply(&next.steps(vec![record])).await?;
        s.apply(&next.ack(bytes.clone())).await?;
        let ended = s.view(job.spec.id).await?;
        let output = ended.job.notes.output.map(|output| output.bytes);
        check!(output.as_ref() == Some(&bytes), "{name}, output");
        check!(
            ended.job.spec.input.bytes == bytes,
            "{name}, archived input"
        );
        let outcome = Some(done(bytes.clone()));
        check!(
            ended.journal.iter().all(|record| record.outcome == outcome),
            "{name}, steps"
        );
        s.write_setting(name, &bytes, 0).await?;
        let found = s.driver().settings(name).await?;
        check!(
            found.iter().any(|setting| setting.value == bytes),
            "{name}, setting"
        );
    }
    Ok(())
}

case!(f22_a_payload_up_to_the_limit_is_stored_and_one_over_it_leaves_nothing);
async fn f22_a_payload_up_to_the_limit_is_stored_and_one_over_it_leaves_nothing(
    s: Subject,
) -> Result {
    let limit = s.driver().capabilities().payload_limit;
    for size in [0, 1, limit - 1, limit, limit + 1, limit * 2] {
        let fits = size <= limit;
        let bytes = vec![b' '; size];
        let job = s.job("mail").key(&size.to_string()).input(bytes.clone());
        let stored = s.try_enqueue(&job).await?;
        let there = s.inspect().job(job.spec.id).await?.is_some();
        check_eq!(
            (stored.is_ok(), there),
            (fits, fits),
            "an input of {size} bytes"
        );
        let event = s.event(&size.to_string()).payload(bytes.clone());
        let published = s
            .driver()
            .publish(std::slice::from_ref(&event), Some(s.now()))
            .await;
        let there = s.inspect().events(Some(&event.name), 0, 10).await?.len() == 1;
        check_eq!(
            (published.is_ok(), there),
            (fits, fits),
            "an event of {size} bytes"
        );
        let write = setting(&format!("size/{size}/"), bytes);
        let written = s.driver().write_setting(&write, Some(s.now())).await;
        let there = !s.driver().settings(&write.key).await?.is_empty();
        check_eq!(
            (written.is_ok(), there),
            (fits, fits),
            "a setting of {size} bytes"
        );
        for error in [published.err(), written.err()].into_iter().flatten() {
            check_eq!(error.code(), "X_PAYLOAD_TOO_LARGE");
        }
    }
    Ok(())
}

fn setting(key: &str, value: Vec<u8>) -> SettingWrite {
    SettingWrite {
        key: key.into(),
        value: Some(value),
        expected: 0,
        jobs: Vec::new(),
    }
}

/// One text of a job: what it is, how it is put there, and its limit in bytes.
type Field = (&'static str, fn(&mut NewJob, String), usize);

const FIELDS: [Field; 15] = [
    ("name", |job, text| job.spec.name = text, MAX_NAME_BYTES),
    ("scope", |job, text| job.spec.scope = text, MAX_NAME_BYTES),
    ("queue", |job, text| job.spec.queue = text, MAX_NAME_BYTES),
    (
        "tenant",
        |job, text| job.spec.tenant = Some(text),
        MAX_NAME_BYTES,
    ),
    ("key", |job, text| job.spec.key = Some(text), MAX_KEY_BYTES),
    (
        "limit key",
        |job, text| job.spec.limit_key = Some(text),
        MAX_KEY_BYTES,
    ),
    (
        "rate key",
        |job, text| job.spec.rate_key = Some(text),
        MAX_KEY_BYTES,
    ),
    (
        "trace",
        |job, text| job.spec.trace_context = Some(text),
        MAX_NAME_BYTES,
    ),
    (
        "label",
        |job, text| drop(job.spec.labels.insert(text, "v".into())),
        256,
    ),
    (
        "label's value",
        |job, text| drop(job.spec.labels.insert("l".into(), text)),
        256,
    ),
    (
        "schedule",
        |job, text| job.spec.tick = Some(tick(job, text)),
        MAX_NAME_BYTES,
    ),
    (
        "parent's step",
        |job, text| job.spec.parent = Some(parent(job, text)),
        MAX_NAME_BYTES,
    ),
    (
        "name of what cleans up",
        |job, text| job.spec.on_cancel = Some(clean_up(&text, "q")),
        MAX_NAME_BYTES,
    ),
    (
        "queue of what cleans up",
        |job, text| job.spec.on_cancel = Some(clean_up("n", &text)),
        MAX_NAME_BYTES,
    ),
    (
        "step of a fork",
        |job, text| {
            job.prefix = vec![StepRecord::pending(
                text,
                RecordKind::Step,
                Default::default(),
            )]
        },
        MAX_NAME_BYTES,
    ),
];

fn tick(_: &NewJob, schedule: String) -> TickRef {
    TickRef {
        schedule,
        tick: Default::default(),
    }
}

fn parent(job: &NewJob, step: String) -> Parent {
    Parent {
        job: job.spec.id,
        run: job.spec.run_id,
        step,
    }
}

fn clean_up(name: &str, queue: &str) -> CleanUp {
    CleanUp {
        name: name.into(),
        scope: name.into(),
        queue: queue.into(),
        priority: Priority::DEFAULT,
        attempts_max: 1,
        visibility_timeout: None,
    }
}

case!(f22_every_text_of_a_job_has_a_limit_and_over_it_nothing_is_stored);
async fn f22_every_text_of_a_job_has_a_limit_and_over_it_nothing_is_stored(s: Subject) -> Result {
    for (what, put, limit) in FIELDS {
        // Characters of three bytes, and one more byte to be over.
        for text in [
            "n".repeat(limit + 1),
            "日".repeat(limit / 3 + 1),
            "n".repeat(2_000_000),
        ] {
            let job = s.job("mail").shape(|job| put(job, text));
            match s.try_enqueue(&job).await? {
                Err(crate::contract::Conflicted::Refused(error)) => {
                    check_eq!(error.code(), "X_NAME_INVALID", "{what}");
                    check!(
                        error.to_string().len() < 20_000,
                        "{what}: the message has an end"
                    );
                }
                other => return Err(Failure::here(format!("{what}: {other:?}"))),
            }
            check!(s.inspect().job(job.spec.id).await?.is_none(), "{what}");
        }
        let job = s.job("mail").shape(|job| put(job, "日".repeat(limit / 3)));
        s.enqueue(&job).await?;
        check_eq!(s.row(job.spec.id).await?.spec, job.spec, "{what}");
    }
    Ok(())
}

case!(f22_every_text_of_an_event_has_a_limit_and_over_it_nothing_is_stored);
async fn f22_every_text_of_an_event_has_a_limit_and_over_it_nothing_is_stored(
    s: Subject,
) -> Result {
    type Put = fn(&mut NewEvent, String);
    let fields: [(&str, Put, usize); 4] = [
        ("name", |event, text| event.name = text, MAX_NAME_BYTES),
        ("key", |event, text| event.key = Some(text), MAX_KEY_BYTES),
        (
            "tenant",
            |event, text| event.tenant = Some(text),
            MAX_NAME_BYTES,
        ),
        (
            "trace",
            |event, text| event.trace_context = Some(text),
            MAX_NAME_BYTES,
        ),
    ];
    for (what, put, limit) in fields {
        let over = s
            .event("paid")
            .shape(|event| put(event, "n".repeat(limit + 1)));
        match s.driver().publish(&[over], Some(s.now())).await {
            Err(error) => check_eq!(error.code(), "X_NAME_INVALID", "{what}"),
            Ok(_) => return Err(Failure::here(format!("{what}: it was stored"))),
        }
        check!(s.inspect().events(None, 0, 10).await?.is_empty(), "{what}");
    }
    for (_, put, limit) in fields {
        s.publish(&s.event("paid").shape(|event| put(event, "n".repeat(limit))))
            .await?;
    }
    check_eq!(s.inspect().events(None, 0, 10).await?.len(), fields.len());
    Ok(())
}

case!(f22_a_setting_without_a_key_or_with_one_too_long_is_refused);
async fn f22_a_setting_without_a_key_or_with_one_too_long_is_refused(s: Subject) -> Result {
    for key in [String::new(), "k".repeat(MAX_KEY_BYTES + 1)] {
        match s
            .driver()
            .write_setting(&setting(&key, vec![1]), None)
            .await
        {
            Err(error) => check_eq!(error.code(), "X_NAME_INVALID"),
            Ok(_) => return Err(Failure::here("it was written")),
        }
    }
    check!(s.driver().settings("").await?.is_empty());
    s.write_setting(&"k".repeat(MAX_KEY_BYTES), &[1], 0).await
}

case!(f22_a_worker_with_a_name_too_long_gets_no_lease);
async fn f22_a_worker_with_a_name_too_long_gets_no_lease(s: Subject) -> Result {
    s.enqueue(&s.job("mail")).await?;
    let mut request = s.request(10);
    request.worker = "w".repeat(MAX_NAME_BYTES + 1);
    match s.driver().claim(&request).await {
        Err(error) => check_eq!(error.code(), "X_NAME_INVALID"),
        Ok(_) => return Err(Failure::here("it was leased")),
    }
    request.worker = "w".repeat(MAX_NAME_BYTES);
    request.queues = vec!["q".repeat(2_000_000), "default".into()];
    check_eq!(s.claims(&request).await?.jobs.len(), 1);
    Ok(())
}

case!(f22_a_filter_of_any_size_finds_nothing_and_breaks_nothing);
async fn f22_a_filter_of_any_size_finds_nothing_and_breaks_nothing(s: Subject) -> Result {
    s.enqueue(&s.job("mail")).await?;
    for text in [
        "x".repeat(2_000_000),
        "\0".repeat(10_000),
        "%_*".repeat(1_000),
    ] {
        let filter = crate::contract::JobFilter {
            name: Some(text.clone()),
            ..Default::default()
        };
        check!(
            s.inspect()
                .list(&filter, None, usize::MAX)
                .await?
                .jobs
                .is_empty()
        );
        check!(
            s.inspect()
                .events(Some(&text), u64::MAX, usize::MAX)
                .await?
                .is_empty()
        );
        check!(s.driver().settings(&text).await?.is_empty());
    }
    Ok(())
}

case!(f22_numbers_at_their_ends_are_kept_or_saturate);
async fn f22_numbers_at_their_ends_are_kept_or_saturate(s: Subject) -> Result {
    let ends = s.job("mail").attempts(u32::MAX).shape(|job| {
        job.spec.visibility_timeout = Some(Millis(u64::MAX));
        job.spec.version = u32::MAX;
        job.spec.input = Payload {
            codec: u16::MAX,
            bytes: Vec::new(),
        };
        job.unique_for = Some(Millis(u64::MAX));
    });
    let ends = ends.key("k");
    let holder = s.start(&ends).await?;
    check_eq!(holder.claimed.job.spec, ends.spec);
    check!(
        holder.until() >= s.now(),
        "a lease without end does not lie in the past"
    );
    s.publish(&s.event("paid").ttl(Millis(u64::MAX))).await?;
    check_eq!(s.inspect().events(Some("paid"), 0, 10).await?.len(), 1);
    s.claim_nothing().await
}
