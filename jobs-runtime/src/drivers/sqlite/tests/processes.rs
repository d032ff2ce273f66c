//! Two handles on one file, which share nothing but the file: as two processes do.

use super::*;
use crate::contract::{Beat, BeatAnswer, WakeUp};
use std::collections::BTreeSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_never_lease_the_same_job() {
    let (_folder, path) = place();
    let (one, other) = (open(&path).await, open(&path).await);
    let jobs: Vec<_> = (0..60).map(|_| job("shared")).collect();
    one.enqueue(&jobs, Some(NOW)).await.unwrap();
    let mut leased = BTreeSet::new();
    let mut count = 0;
    loop {
        let (asked, asked_too) = (claim(7), claim(7));
        let (first, second) = tokio::join!(one.claim(&asked), other.claim(&asked_too));
        let found = [first.unwrap().jobs, second.unwrap().jobs].concat();
        if found.is_empty() {
            break;
        }
        count += found.len();
        leased.extend(found.iter().map(|held| held.job.spec.id));
    }
    assert_eq!((count, leased.len()), (60, 60));
    one.close().await;
    other.close().await;
}

#[tokio::test]
async fn one_key_makes_one_job_for_two_processes() {
    let (_folder, path) = place();
    let (one, other) = (open(&path).await, open(&path).await);
    let keyed = || {
        let mut job = job("keyed");
        job.spec.key = Some("k".into());
        job
    };
    let (mine, yours) = (keyed(), keyed());
    let (first, second) = tokio::join!(enqueue(&one, &mine), enqueue(&other, &yours));
    assert_eq!(first.id, second.id);
    assert_ne!(first.deduped, second.deduped);
    one.close().await;
    other.close().await;
}

#[tokio::test]
async fn a_write_of_another_process_wakes() {
    let (_folder, path) = place();
    let options = SqliteOptions::default().poll(std::time::Duration::from_millis(5));
    let waiting = Sqlite::open(&path, options).await.unwrap();
    let other = open(&path).await;
    let mut hints = waiting.wake_ups();
    // The watcher must have looked once before it can see a difference, so keep writing.
    let woken = async {
        loop {
            if hints.recv().await.unwrap() == WakeUp::Ready {
                break;
            }
        }
    };
    let writing = async {
        loop {
            enqueue(&other, &job("news")).await;
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = woken => {}
        () = writing => {}
    }
    waiting.close().await;
    other.close().await;
}

#[tokio::test]
async fn a_heartbeat_extends_a_lease_of_another_process() {
    let (_folder, path) = place();
    let (one, other) = (open(&path).await, open(&path).await);
    enqueue(&one, &job("held")).await;
    let held = one.claim(&claim(1)).await.unwrap().jobs.remove(0);
    let beat = Beat {
        job: held.job.spec.id,
        token: held.job.head.token,
        visibility_timeout: Millis::secs(90),
        seen_nudge: 0,
    };
    let answers = other.heartbeat(&[beat], Some(NOW)).await.unwrap();
    let until = NOW.after(Millis::secs(90));
    assert!(matches!(answers[0], BeatAnswer::Held { until: end, .. } if end == until));
    one.close().await;
    other.close().await;
}
