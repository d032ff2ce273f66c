//! Opaque text: names, keys and payloads are data, and come back as they went in.

use super::shapes::{EventShape, JobShape, wait};
use super::{Result, Subject};
use crate::contract::JobFilter;
use crate::core::{LogLine, Millis, StoredError};

/// What has been syntax to somebody.
const HOSTILE: &[&str] = &[
    "*",
    ">",
    "a.b",
    "a:b",
    "a/b",
    "{a}",
    "%",
    "_",
    "%2A",
    "'",
    "\"",
    "\\",
    "`",
    "--",
    "; DROP TABLE jobs_job; --",
    "' OR '1'='1",
    "$1",
    "?1",
    " ",
    " lead",
    "trail ",
    "\t",
    "a\r\nb",
    "\0",
    "a\0b",
    "\u{1b}[31m",
    "<img src=x onerror=alert(1)>",
    "null",
    "007",
    "1e3",
    "é",
    "e\u{301}",
    "日本",
    "\u{202e}rtl",
    "\u{1F600}",
    "\u{feff}bom",
    "\u{10ffff}",
];

case!(d29_hostile_text_comes_back_from_every_field_of_a_job);
async fn d29_hostile_text_comes_back_from_every_field_of_a_job(s: Subject) -> Result {
    for text in HOSTILE {
        let job = s.job(text).queue(text).key(text).tenant(text).input(*text);
        let job = job.shape(|job| {
            job.spec.scope = (*text).into();
            job.spec.limit_key = Some((*text).into());
            job.spec.rate_key = Some((*text).into());
            job.spec.trace_context = Some((*text).into());
            job.spec.labels.insert((*text).into(), (*text).into());
        });
        s.enqueue(&job).await?;
        check_eq!(s.row(job.spec.id).await?.spec, job.spec);
        let mut request = s.request(10);
        request.queues = vec![(*text).into()];
        request.worker = (*text).into();
        let claims = s.claims(&request).await?;
        check_eq!(claims.jobs.len(), 1, "{text:?}");
        check_eq!(claims.jobs[0].job.spec, job.spec);
        check_eq!(claims.jobs[0].job.notes.worker.as_deref(), Some(*text));
    }
    let mut names = s.inspect().live_names().await?;
    names.sort_unstable();
    let mut expected = HOSTILE.to_vec();
    expected.sort_unstable();
    check_eq!(names, expected, "no two of them are one");
    Ok(())
}

case!(d29_no_two_keys_are_one);
async fn d29_no_two_keys_are_one(s: Subject) -> Result {
    for key in HOSTILE {
        let enqueued = s.enqueue(&s.job("mail").key(key)).await?;
        check!(!enqueued.deduped, "{key:?}");
    }
    for key in HOSTILE {
        let again = s.enqueue(&s.job("mail").key(key)).await?;
        check!(again.deduped, "{key:?}");
    }
    Ok(())
}

case!(d29_a_key_of_ten_thousand_bytes_works);
async fn d29_a_key_of_ten_thousand_bytes_works(s: Subject) -> Result {
    let long = "k".repeat(10_000);
    s.enqueue(&s.job("mail").key(&long)).await?;
    check!(s.enqueue(&s.job("mail").key(&long)).await?.deduped);
    let other = s.job("mail").key(&format!("{long}k"));
    check!(!s.enqueue(&other).await?.deduped);
    Ok(())
}

case!(b83_scope_and_key_do_not_run_into_each_other);
async fn b83_scope_and_key_do_not_run_into_each_other(s: Subject) -> Result {
    let pairs = [
        ("a:b", "c"),
        ("a", "b:c"),
        ("a:", "b:c"),
        ("a\0b", "c"),
        ("a", "b\0c"),
    ];
    for (scope, key) in pairs {
        let job = s.job(scope).key(key);
        check!(!s.enqueue(&job).await?.deduped, "{scope:?} {key:?}");
    }
    Ok(())
}

case!(b80_hostile_text_comes_back_from_journal_error_and_log);
async fn b80_hostile_text_comes_back_from_journal_error_and_log(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(2)).await?;
    let records: Vec<_> = HOSTILE
        .iter()
        .map(|text| holder.step(text, *text))
        .collect();
    let mut commit = holder.steps(records.clone());
    commit.log = HOSTILE
        .iter()
        .map(|text| LogLine {
            at: s.now(),
            text: (*text).into(),
        })
        .collect();
    let log = commit.log.clone();
    s.apply(&commit).await?;
    let error = StoredError {
        chain: HOSTILE.iter().map(|text| (*text).into()).collect(),
        backtrace: Some(HOSTILE.concat()),
        ..StoredError::new("\0", HOSTILE.concat())
    };
    s.apply(&holder.retry(Millis(1), error.clone())).await?;
    let view = s.view(holder.id()).await?;
    check_eq!(view.journal, records);
    check_eq!(view.log, log);
    check_eq!(view.job.notes.error, Some(error.clone()));
    s.advance(Millis(1));
    let mut holder = s.claim_one().await?;
    check_eq!(holder.claimed.journal, records);
    s.apply(&holder.retry(Millis(1), error.clone())).await?;
    let dead = s.view(holder.id()).await?;
    check_eq!(dead.journal, records, "also from where dead letters lie");
    check_eq!(dead.job.notes.error, Some(error));
    Ok(())
}

case!(hostile_events_meet_only_their_own_waits);
async fn hostile_events_meet_only_their_own_waits(s: Subject) -> Result {
    for text in HOSTILE {
        let mut holder = s.start(&s.job("mail").tenant(text)).await?;
        let hostile = wait(text, text, Some(text), s.now());
        s.apply(&holder.park(vec![hostile], None)).await?;
    }
    for text in HOSTILE {
        let event = s.event(text).key(text).tenant(text).payload(*text);
        check_eq!(s.publish(&event).await?.woken, 1, "{text:?}");
        let next = s.claim_one().await?;
        check_eq!(next.inbox(), [text.as_bytes().to_vec()]);
        check_eq!(s.inspect().events(Some(text), 0, 10).await?.len(), 1);
    }
    Ok(())
}

case!(hostile_filters_and_settings_find_only_their_own);
async fn hostile_filters_and_settings_find_only_their_own(s: Subject) -> Result {
    for text in HOSTILE {
        s.enqueue(&s.job(text).queue(text).key(text).tenant(text))
            .await?;
        s.write_setting(&format!("{text}/"), text.as_bytes(), 0)
            .await?;
    }
    for text in HOSTILE {
        let own = Some((*text).to_owned());
        let filter = JobFilter {
            queue: own.clone(),
            name: own.clone(),
            state: None,
            tenant: own.clone(),
            key: own,
        };
        let page = s.inspect().list(&filter, None, 10).await?;
        check_eq!(page.jobs.len(), 1, "{text:?}");
        let found = s.driver().settings(&format!("{text}/")).await?;
        check_eq!(found.len(), 1, "{text:?}");
        check_eq!(found[0].value, text.as_bytes().to_vec());
        check_eq!(s.stats_of(text).await?.ready, 1);
    }
    Ok(())
}
