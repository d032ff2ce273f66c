//! The walk of one job on the memory driver, in real time: enqueue, steps, event, sleep, result.

use jobs_runtime::prelude::*;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Signup {
    user_id: u64,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Event)]
#[event(name = "smoke-paid", key = u64)]
struct Paid {
    cents: u64,
}

#[job(idempotency = "smoke:{input.user_id}")]
async fn smoke(input: Signup) -> Result<String> {
    let account = step!("create", async { Ok::<_, Failure>(input.user_id * 2) }).await?;
    step!("nap", sleep = "50ms").await;
    let paid = step!("paid", event = Paid, key = input.user_id, timeout = "1m").await?;
    let note = step!("note", { Ok(format!("{account} {paid:?}")) }).await?;
    Ok(note)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_runs_from_enqueue_to_result() {
    let jobs = Jobs::connect("memory://").await.unwrap();
    let handle = smoke(Signup { user_id: 7 }).enqueue(&jobs).await.unwrap();
    let worker = jobs
        .worker()
        .observe(|run, event| eprintln!("{run:?} {event:?}"));
    let done = async {
        jobs.publish(Paid { cents: 3 }, 7).await.unwrap();
        let out = jobs.wait(&handle).await.unwrap();
        assert_eq!(out, "14 Some(Paid { cents: 3 })");
    };
    tokio::time::timeout(Duration::from_secs(20), worker.run_until(done))
        .await
        .unwrap()
        .unwrap();
}
