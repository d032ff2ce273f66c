//! The recorder writes down what its callers saw, and changes none of it.

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::drivers::memory::Memory;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::torture::history::{Call, Entry, Life, What};
use jobs_runtime::torture::log::{ClockStamps, Log, MemorySink};
use jobs_runtime::torture::recorder::{Recorder, dump, effect};
use jobs_runtime::{JobContext, State};
use std::sync::Arc;

#[job(idempotency = "recorded:{input}")]
async fn recorded_job(input: u64, cx: JobContext, log: State<Log>) -> Result<u64> {
    let half = step!(
        "halve",
        effect(&log, &cx, "halve", b"", async {
            Ok::<_, Failure>(input / 2)
        })
    )
    .await?;
    step!("rest", sleep = "1h").await;
    Ok(half)
}

struct Recording {
    bench: Bench,
    memory: Arc<Memory>,
    sink: Arc<MemorySink>,
    log: Log,
}

fn recording() -> Recording {
    let clock = VirtualClock::default();
    let env = Env::new(clock.clone(), SeededEntropy::new(1));
    let memory = Arc::new(Memory::new(env.clone()));
    let sink = Arc::new(MemorySink::default());
    let life = Life {
        process: 1,
        incarnation: 1,
    };
    let stamps = Arc::new(ClockStamps(Arc::new(clock.clone())));
    let log = Log::new(life, stamps, sink.clone());
    let recorder = Recorder::new(memory.clone(), log.clone());
    let pen = log.clone();
    let bench =
        Bench::with_driver(recorder, env, clock).worker(move |worker| worker.state(pen.clone()));
    Recording {
        bench,
        memory,
        sink,
        log,
    }
}

fn said(entries: &[Entry], wanted: impl Fn(&What) -> bool) -> usize {
    entries.iter().filter(|entry| wanted(&entry.what)).count()
}

#[tokio::test]
async fn a_run_is_told_from_its_enqueue_to_the_dump() {
    let it = recording();
    let handle = recorded_job(8).enqueue(it.bench.jobs()).await.unwrap();
    it.bench
        .advance(std::time::Duration::from_secs(7200))
        .await
        .unwrap();
    assert_eq!(it.bench.outcome(&handle).await.unwrap(), 4);
    assert_eq!(dump(&it.log, &*it.memory).await.unwrap(), 1);

    let entries = it.sink.take();
    let calls = |wanted: fn(&Call) -> bool| {
        said(
            &entries,
            |what| matches!(what, What::Invoke { call, .. } if wanted(call)),
        )
    };
    assert_eq!(calls(|call| matches!(call, Call::Enqueue(_))), 1);
    // Suspended once, so leased twice.
    assert_eq!(
        said(&entries, |what| matches!(what, What::Leased { .. })),
        2
    );
    assert_eq!(
        said(&entries, |what| matches!(what, What::EffectBegin(_))),
        1
    );
    assert_eq!(said(&entries, |what| matches!(what, What::EffectEnd(_))), 1);
    let done = |what: &What| matches!(what, What::Job(job) if job.journal.len() == 2);
    assert_eq!(said(&entries, done), 1);
    let answers = said(&entries, |what| {
        matches!(what, What::Ok { .. } | What::Fail { .. })
    });
    assert_eq!(answers, calls(|_| true), "each call has its answer");
}
