//! `#[steps]`: helpers whose steps are recorded below the name under which they are called.

use crate::support::{HOUR, Log, bench, error_code, journal};
use jobs_runtime::core::RecordKind;
use jobs_runtime::prelude::*;
use jobs_runtime::{Job, RunEvent};

struct Order {
    id: u64,
    note: String,
}

#[steps]
async fn bill<'o>(order: &'o Order, log: &Log) -> Result<&'o str> {
    let cents = step!("price", {
        log.add("price");
        Ok(order.id * 100)
    })
    .await?;
    step!("tax", steps = taxes::ask(cents, log)).await?;
    step!("pause", sleep = "1h").await;
    step!("charge", effect = at_most_once, was = ["pay"], {
        log.add(format!("charge {cents}"));
        Ok(())
    })
    .await?;
    Ok(&order.note)
}

mod taxes {
    use crate::support::Log;
    use jobs_runtime::prelude::*;

    #[steps]
    pub(super) async fn ask(cents: u64, log: &Log) -> Result<()> {
        for country in ["de", "fr"] {
            step!("rate:{country}", {
                log.add(format!("rate {country} {cents}"));
                Ok(())
            })
            .await?;
        }
        Ok(())
    }
}

#[job(idempotency = "helped:{input}", was = ["helped-before"])]
async fn helped(input: u64, log: State<Log>) -> Result<String> {
    let order = Order {
        id: input,
        note: "thanks".into(),
    };
    let note = step!("billing", was = ["invoice"], steps = bill(&order, &log)).await?;
    let again = step!("again:{input}", steps = self::bill(&order, &log)).await?;
    Ok(format!("{note} {again}"))
}

#[tokio::test]
async fn the_steps_of_a_helper_are_recorded_below_its_name() {
    let (bench, log) = bench();
    let handle = helped(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "thanks thanks");
    let expected = ["price", "tax/rate:de", "tax/rate:fr", "pause", "charge"];
    let expected: Vec<String> = ["billing", "again:7"]
        .iter()
        .flat_map(|prefix| expected.iter().map(move |step| format!("{prefix}/{step}")))
        .collect();
    assert_eq!(journal(&bench, handle.id()).await, expected);
    assert_eq!(log.count("charge 700"), 2, "once for each call");
}

#[test]
fn the_list_of_a_job_holds_the_steps_of_its_helpers() {
    let all: Vec<String> = helped::def()
        .all_steps()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let expected = [
        "billing/price",
        "billing/tax/rate:{country}",
        "billing/pause",
        "billing/charge",
        "again:{input}/price",
        "again:{input}/tax/rate:{country}",
        "again:{input}/pause",
        "again:{input}/charge",
    ];
    assert_eq!(all, expected);
    let all = helped::def().all_steps();
    assert_eq!(all[2].1.kind, RecordKind::Sleep);
    assert!(all[3].1.at_most_once && all[1].1.in_loop);
    assert_eq!(all[3].1.was, ["pay"]);
    assert_eq!(helped::def().steps[0].was, ["invoice"]);
}

#[job(idempotency = "helped-side-by-side:{input}")]
async fn helped_side_by_side(input: u64, log: State<Log>) -> Result<usize> {
    let calls = (0..input).map(|n| step!("part:{n}", steps = taxes::ask(n, &log)));
    let all = futures::future::try_join_all(calls).await?;
    step!("nap", sleep = "1h").await;
    Ok(all.len())
}

#[tokio::test]
async fn helpers_run_side_by_side() {
    let (bench, log) = bench();
    let handle = helped_side_by_side(3).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 3);
    for line in ["rate de 0", "rate fr 1", "rate de 2"] {
        assert_eq!(log.count(line), 1, "{line}");
    }
}

#[job(idempotency = "helpers-child:{input}")]
async fn helpers_child(input: u64) -> Result<u64> {
    step!("nap", sleep = "1h").await;
    Ok(input * 2)
}

#[steps]
async fn with_child(input: u64) -> Result<u64> {
    Ok(step!("twice", was = ["double"], job = helpers_child(input)).await?)
}

#[job(idempotency = "helped-by-child:{input}")]
async fn helped_by_child(input: u64) -> Result<u64> {
    let (left, right) = tokio::try_join!(
        step!("left", steps = with_child(input)),
        step!("right", steps = with_child(input + 1)),
    )?;
    Ok(left + right)
}

#[tokio::test]
async fn a_helper_may_wait_for_children() {
    let (bench, _) = bench();
    let handle = helped_by_child(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 6);
    let mut names = journal(&bench, handle.id()).await;
    names.sort();
    assert_eq!(names, ["left/twice", "right/twice"]);
}

#[job(idempotency = "helper-twice:{input}")]
async fn helper_twice(input: u64, log: State<Log>) -> Result<()> {
    for _ in 0..2 {
        step!("same:{input}", steps = taxes::ask(1, &log)).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_helper_that_is_called_twice_under_one_name_fails_the_run() {
    let (bench, _) = bench();
    let handle = helper_twice(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(
        error_code(&bench, handle.id()).await.as_deref(),
        Some("X_STEP_DUPLICATE")
    );
}

#[steps(allow = (raw_await))]
async fn raw(log: &Log) -> Result<()> {
    step!("a", async {
        log.add("a");
        Ok::<_, Failure>(())
    })
    .await?;
    std::future::ready(()).await;
    log.add("between");
    Ok(())
}

#[steps]
async fn around_raw(log: &Log) -> Result<()> {
    step!("inner", steps = raw(log)).await
}

#[job(idempotency = "raw-helped:{input}")]
async fn raw_helped(input: u64, log: State<Log>) -> Result<()> {
    let _ = input;
    step!("outer", steps = around_raw(&log)).await?;
    step!("last", async { Ok::<_, Failure>(()) }).await?;
    Ok(())
}

#[tokio::test]
async fn a_job_whose_helper_awaits_outside_its_steps_waits_for_each_record() {
    let (bench, log) = bench();
    let own = log.clone();
    let bench = bench.worker(move |worker| {
        let log = own.clone();
        worker.state(own.clone()).observe(move |_, event| {
            if let RunEvent::StepStored { step, .. } = event {
                log.add(format!("stored {step}"));
            }
        })
    });
    raw_helped(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    // The result of the last step is durable before the body gets it, and so before its end.
    assert_eq!(
        log.lines(),
        ["a", "stored outer/inner/a", "between", "stored last"]
    );
}
