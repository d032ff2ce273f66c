//! R3 as a table: what fails, what the body does with it, and what the next attempt makes of it.

use crate::support::{HOUR, Log, bench, state_of};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use std::time::Duration;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "which-failures-paid", key = none)]
struct Paid;

/// What fails; all of it would go well at a second try.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Failing {
    AtMostOnce,
    Child,
    RequiredWait,
    Step,
}

/// What the body does once it has the failure. Errors of its own come in its first attempt only.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Then {
    /// Undoes something by a step, then passes the failure on.
    Compensates,
    /// Goes on to a good end.
    EndsWell,
    /// Goes on, and fails of itself later.
    FailsLater,
    /// Fails of itself at once.
    FailsAtOnce,
    /// Waits for another branch, then fails of itself.
    OtherBranchThenFails,
    /// Waits for another branch, then passes the failure on.
    OtherBranchThenPasses,
    /// Passes the failure on.
    Passes,
    /// Passes the failure on, past a branch that sleeps.
    PassesBesideSleep,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// It is tried again, and goes well.
    Again,
    /// It is history: the next attempt gets it once more.
    History,
    /// It is history, and the job has failed with it.
    JobFailed,
}

#[job(idempotency = none, attempts = 1)]
async fn failing_child(_input: (), log: State<Log>) -> Result<()> {
    Ok(step!("effect", first_fails(&log)).await?)
}

#[job(idempotency = "which-failures:{input.2}", backoff = "10m")]
async fn which_failures(input: (Failing, Then, u32), log: State<Log>) -> Result<String> {
    let (what, then, _) = input;
    let failing = async {
        match what {
            Failing::AtMostOnce => step!("once", effect = at_most_once, first_fails(&log)).await,
            Failing::Child => step!("child", job = failing_child(())).await,
            Failing::RequiredWait => {
                let paid = step!("paid", event = Paid, timeout = "1m", required).await;
                paid.map(drop)
            }
            Failing::Step => step!("step", first_fails(&log)).await,
        }
    };
    let failed = match then {
        Then::OtherBranchThenFails | Then::OtherBranchThenPasses => {
            let (failed, ()) = tokio::join!(failing, step!("branch", sleep = "2m"));
            failed
        }
        Then::PassesBesideSleep => {
            let sleeping = async {
                step!("nap", sleep = "30m").await;
                Ok(())
            };
            tokio::try_join!(failing, sleeping).map(drop)
        }
        _ => failing.await,
    };
    let Err(error) = failed else {
        return Ok("it went well".into());
    };
    match then {
        Then::EndsWell => {}
        Then::FailsAtOnce | Then::OtherBranchThenFails => of_itself(&log)?,
        Then::FailsLater => {
            step!("more", async { Ok::<_, Failure>(()) }).await?;
            of_itself(&log)?;
        }
        Then::Compensates => {
            step!("refund", async { Ok::<_, Failure>(()) }).await?;
            return Err(error.into());
        }
        Then::OtherBranchThenPasses | Then::Passes | Then::PassesBesideSleep => {
            return Err(error.into());
        }
    }
    Ok("it failed".into())
}

async fn first_fails(log: &Log) -> Result<()> {
    log.add("effect");
    match log.count("effect") {
        1 => Err(Failure::msg("not this time")),
        _ => Ok(()),
    }
}

fn of_itself(log: &Log) -> Result<()> {
    log.add("of itself");
    match log.count("of itself") {
        1 => Err(Failure::msg("something else")),
        _ => Ok(()),
    }
}

async fn outcome(what: Failing, then: Then) -> (Outcome, usize) {
    let (bench, log) = bench();
    let input = (what, then, 1);
    let handle = which_failures(input).enqueue(bench.jobs()).await.unwrap();
    // The first attempt is over by then, and the second begins after it.
    bench.advance(Duration::from_secs(300)).await.unwrap();
    bench.jobs().publish(Paid, ()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    let outcome = match state_of(&bench, handle.id()).await {
        JobState::Failed => Outcome::JobFailed,
        JobState::Done if bench.jobs().wait(&handle).await.unwrap() == "it went well" => {
            Outcome::Again
        }
        JobState::Done => Outcome::History,
        other => panic!("{what:?}, {then:?}: the job is {other}"),
    };
    (outcome, log.count("effect"))
}

#[tokio::test]
async fn r3_each_failure_is_tried_again_or_history_as_the_table_says() {
    use Outcome::{Again, History, JobFailed};
    // By what the body does; then for a step or a child, a required wait, and a step at most once.
    let table = [
        (Then::Compensates, [JobFailed, JobFailed, JobFailed]),
        (Then::EndsWell, [History, History, History]),
        (Then::FailsAtOnce, [Again, Again, History]),
        (Then::FailsLater, [History, History, History]),
        (Then::OtherBranchThenFails, [History, History, History]),
        (Then::OtherBranchThenPasses, [Again, Again, JobFailed]),
        (Then::Passes, [Again, Again, JobFailed]),
        (Then::PassesBesideSleep, [Again, Again, JobFailed]),
    ];
    for (then, expected) in table {
        let [step, wait, once] = expected;
        for (what, expected) in [
            (Failing::Step, step),
            (Failing::Child, step),
            (Failing::RequiredWait, wait),
            (Failing::AtMostOnce, once),
        ] {
            let (outcome, effects) = outcome(what, then).await;
            assert_eq!(outcome, expected, "{what:?}, {then:?}");
            let tries = match (what, outcome) {
                (Failing::RequiredWait, _) => 0,
                (_, Again) => 2,
                (_, History | JobFailed) => 1,
            };
            assert_eq!(effects, tries, "{what:?}, {then:?}");
        }
    }
}
