//! Connections that are few, cut, or lead nowhere.

use super::*;
use jobs_runtime::contract::JobFilter;

#[job(name = "pg-noted", idempotency = "noted:{input}")]
async fn noted(input: u64) -> Result<u64> {
    Ok(input)
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    let url = "postgres://jobs@127.0.0.1:1/jobs";
    let error = Jobs::connect(url).await.err().unwrap();
    assert_eq!(error.code(), "X_DRIVER_UNAVAILABLE");
    assert!(error.fix().contains("can be reached"), "{}", error.fix());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn fifty_callers_share_two_connections() {
    let jobs = connect(&new_schema()).await;
    let callers: Vec<_> = (0..50)
        .map(|n| {
            let jobs = jobs.clone();
            tokio::spawn(async move { noted(n % 25).enqueue(&jobs).await.unwrap().id() })
        })
        .collect();
    let mut ids = std::collections::BTreeSet::new();
    for caller in callers {
        ids.insert(caller.await.unwrap());
    }
    assert_eq!(ids.len(), 25, "each key is one job");
    jobs.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn what_was_acknowledged_is_there_after_every_connection_was_cut() {
    let schema = new_schema();
    let (jobs, pool) = (connect(&schema).await, operator().await);
    let mut acknowledged = 0;
    for n in 0..40 {
        if n % 4 == 3 {
            cut_all(&pool, &schema).await;
        }
        // Sent again under the same key, a lost answer counts once.
        while noted(n).enqueue(&jobs).await.is_err() {}
        acknowledged += 1;
    }
    let filter = JobFilter {
        name: Some("pg-noted".into()),
        ..JobFilter::default()
    };
    let page = jobs.admin().list(&filter, None, 100).await.unwrap();
    assert_eq!(page.jobs.len(), acknowledged);
    jobs.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn callers_that_go_away_take_no_enqueue_of_others_with_them() {
    let jobs = connect(&new_schema()).await;
    let callers: Vec<_> = (0..200)
        .map(|n| {
            let jobs = jobs.clone();
            tokio::spawn(async move { noted(n).enqueue(&jobs).await.unwrap().id() })
        })
        .collect();
    // Every second one is dropped wherever it is, also while it carries those of others.
    tokio::task::yield_now().await;
    let mut answered = Vec::new();
    for (n, caller) in callers.into_iter().enumerate() {
        match n % 2 {
            0 => caller.abort(),
            _ => answered.push(caller),
        }
    }
    for caller in answered {
        let id = caller.await.unwrap();
        assert!(jobs.admin().show(id).await.unwrap().is_some());
    }
    jobs.close().await;
}

/// Ends the connections of all clients of a store.
async fn cut_all(pool: &PgPool, schema: &str) {
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
    )
    .bind(schema)
    .execute(pool)
    .await
    .unwrap();
}
