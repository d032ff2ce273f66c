//! Settings: compare and set, and what relies on it in the same write.

use super::shapes::JobShape;
use super::{Result, Subject};
use crate::contract::{QueueSetting, Setting, SettingWrite};

case!(a_setting_is_written_read_changed_and_removed);
async fn a_setting_is_written_read_changed_and_removed(s: Subject) -> Result {
    let first = write(&s, "queue/a", Some("1"), 0).await?;
    let Some(first) = first else {
        return Err(super::Failure::here("not written"));
    };
    check!(first.revision > 0);
    check_eq!(s.driver().settings("queue/").await?, [first.clone()]);
    let second = write(&s, "queue/a", Some("2"), first.revision).await?;
    let Some(second) = second else {
        return Err(super::Failure::here("not changed"));
    };
    check!(second.revision > first.revision);
    check_eq!(second.value, b"2".to_vec());
    check!(
        write(&s, "queue/a", None, second.revision).await?.is_some(),
        "removed"
    );
    check!(s.driver().settings("").await?.is_empty());
    Ok(())
}

case!(a_setting_that_changed_is_not_overwritten);
async fn a_setting_that_changed_is_not_overwritten(s: Subject) -> Result {
    let written = write(&s, "queue/a", Some("1"), 0).await?;
    let revision = written.map_or(0, |setting| setting.revision);
    for expected in [0, revision + 1] {
        let refused = write(&s, "queue/a", Some("2"), expected).await?;
        check!(refused.is_none(), "expected {expected}");
    }
    check!(write(&s, "queue/b", Some("1"), 7).await?.is_none());
    let all = s.driver().settings("").await?;
    check_eq!(all.len(), 1);
    check_eq!(all[0].value, b"1".to_vec());
    Ok(())
}

case!(a_setting_made_again_is_not_taken_for_the_old_one);
async fn a_setting_made_again_is_not_taken_for_the_old_one(s: Subject) -> Result {
    let old = write(&s, "queue/a", Some("1"), 0).await?;
    let old = old.map_or(0, |setting| setting.revision);
    write(&s, "queue/a", None, old).await?;
    write(&s, "queue/a", Some("2"), 0).await?;
    check!(write(&s, "queue/a", Some("3"), old).await?.is_none());
    Ok(())
}

case!(settings_are_found_by_the_beginning_of_their_key);
async fn settings_are_found_by_the_beginning_of_their_key(s: Subject) -> Result {
    for key in ["q_x/1", "q_x/2", "q_x", "qax/1", "Q_x/1", "q%"] {
        write(&s, key, Some("1"), 0).await?;
    }
    let found = s.driver().settings("q_x/").await?;
    let keys: Vec<&str> = found.iter().map(|setting| setting.key.as_str()).collect();
    check_eq!(keys, ["q_x/1", "q_x/2"]);
    check_eq!(s.driver().settings("q%").await?.len(), 1);
    check_eq!(s.driver().settings("").await?.len(), 6);
    Ok(())
}

case!(q18_a_tick_and_its_job_are_one_write);
async fn q18_a_tick_and_its_job_are_one_write(s: Subject) -> Result {
    let tick = |expected| SettingWrite {
        key: "schedule/daily".into(),
        value: Some(b"1".to_vec()),
        expected,
        jobs: vec![s.job("report").key("1")],
    };
    let written = s.driver().write_setting(&tick(0), Some(s.now())).await?;
    check!(written.is_some());
    // Another scheduler, which thinks that it is its turn too.
    let refused = s.driver().write_setting(&tick(0), Some(s.now())).await?;
    check!(refused.is_none());
    check_eq!(s.claim(10).await?.len(), 1);
    Ok(())
}

case!(a_refused_write_enqueues_nothing);
async fn a_refused_write_enqueues_nothing(s: Subject) -> Result {
    let stale = SettingWrite {
        key: "schedule/daily".into(),
        value: Some(b"1".to_vec()),
        expected: 9,
        jobs: vec![s.job("report")],
    };
    check!(
        s.driver()
            .write_setting(&stale, Some(s.now()))
            .await?
            .is_none()
    );
    let bad = SettingWrite {
        expected: 0,
        jobs: vec![s.job("report"), s.job("")],
        ..stale
    };
    check!(s.driver().write_setting(&bad, Some(s.now())).await.is_err());
    check!(s.driver().settings("").await?.is_empty());
    s.claim_nothing().await
}

case!(a_paused_queue_is_passed_over_until_it_is_resumed);
async fn a_paused_queue_is_passed_over_until_it_is_resumed(s: Subject) -> Result {
    let paused = s.job("mail").queue("slow");
    s.enqueue_all(&[paused.clone(), s.job("mail")]).await?;
    let key = QueueSetting::key("slow");
    s.write_setting(&key, br#"{"paused":true,"weight":3}"#, 0)
        .await?;
    let claimed = s.claim(10).await?;
    check_eq!(claimed.len(), 1);
    check!(claimed[0].id() != paused.spec.id);
    let mut named = s.request(10);
    named.queues = vec!["slow".into()];
    check!(s.claims(&named).await?.jobs.is_empty(), "also by its name");
    let revision = s.driver().settings(&key).await?[0].revision;
    s.write_setting(&key, br#"{"paused":false}"#, revision)
        .await?;
    check_eq!(s.claim_one().await?.id(), paused.spec.id);
    Ok(())
}

case!(a_pause_stops_no_work_that_has_begun);
async fn a_pause_stops_no_work_that_has_begun(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").queue("slow")).await?;
    let key = QueueSetting::key("slow");
    s.write_setting(&key, br#"{"paused":true}"#, 0).await?;
    s.beat(&holder, super::subject::LEASE).await?;
    s.apply(&holder.ack("1")).await?;
    Ok(())
}

async fn write(
    s: &Subject,
    key: &str,
    value: Option<&str>,
    expected: u64,
) -> Result<Option<Setting>> {
    let write = SettingWrite {
        key: key.into(),
        value: value.map(|value| value.as_bytes().to_vec()),
        expected,
        jobs: Vec::new(),
    };
    Ok(s.driver().write_setting(&write, Some(s.now())).await?)
}
