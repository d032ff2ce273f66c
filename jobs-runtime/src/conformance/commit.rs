//! Commits that settle: what each of them leaves behind.

use super::shapes::{JobShape, boom, done};
use super::{Result, Subject};
use crate::core::{
    LOG_LIMIT_LINES, LogLine, Millis, Payload, Progress, RecordKind, Settle, State, StepOutcome,
    StepRecord, Trace,
};

case!(an_ack_keeps_the_output);
async fn an_ack_keeps_the_output(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let output = Payload {
        codec: 2,
        bytes: vec![0, 255, 7],
    };
    let ack = Settle::Ack {
        output: output.clone(),
    };
    s.advance(Millis(10));
    s.apply(&holder.settle(ack)).await?;
    let job = s.expect_state(holder.id(), State::Done).await?;
    check_eq!(job.notes.output, Some(output.clone()));
    check_eq!(
        job.notes.output.map(|output| output.bytes),
        Some(output.bytes)
    );
    check_eq!(job.head.ended_at, Some(s.now()));
    check_eq!(job.head.visible_at, None);
    Ok(())
}

case!(an_ack_takes_its_last_records_with_it);
async fn an_ack_takes_its_last_records_with_it(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let step = holder.step("one", "1");
    let output = Payload::json(*b"2");
    let commit = holder.steps(vec![step.clone()]);
    s.apply(&commit.settling(Settle::Ack { output }, Trace::default()))
        .await?;
    check_eq!(s.view(holder.id()).await?.journal, [step]);
    s.expect_state(holder.id(), State::Done).await?;
    Ok(())
}

case!(a_fatal_error_ends_the_job_at_once);
async fn a_fatal_error_ends_the_job_at_once(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let error = boom();
    s.apply(&holder.settle(Settle::Fail { error })).await?;
    let job = s.expect_state(holder.id(), State::Failed).await?;
    check_eq!(job.notes.error, Some(boom()));
    check_eq!(job.head.attempt, 1);
    s.advance(Millis::secs(1000));
    s.claim_nothing().await
}

case!(a_failed_attempt_waits_and_is_the_next_one);
async fn a_failed_attempt_waits_and_is_the_next_one(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.retry(Millis(5000), boom())).await?;
    let job = s.expect_state(holder.id(), State::Pending).await?;
    check_eq!(job.notes.error, Some(boom()));
    s.advance(Millis(4999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    let next = s.claim_one().await?;
    check_eq!(next.claimed.job.head.attempt, 2);
    check_eq!(next.claimed.job.head.lease_losses, 0);
    Ok(())
}

case!(the_last_failed_attempt_is_a_dead_letter);
async fn the_last_failed_attempt_is_a_dead_letter(s: Subject) -> Result {
    let job = s.job("mail").attempts(3);
    s.enqueue(&job).await?;
    for attempt in 1..=3 {
        let mut holder = s.claim_one().await?;
        check_eq!(holder.claimed.job.head.attempt, attempt);
        s.apply(&holder.retry(Millis(1), boom())).await?;
        s.advance(Millis(1));
    }
    s.claim_nothing().await?;
    let dead = s.expect_state(job.spec.id, State::Dead).await?;
    check_eq!(dead.notes.error, Some(boom()));
    check_eq!(dead.spec, job.spec);
    Ok(())
}

case!(d25_a_single_attempt_is_exactly_one);
async fn d25_a_single_attempt_is_exactly_one(s: Subject) -> Result {
    // None at all is taken as one: a job that never runs would be lost in silence.
    for max in [0, 1] {
        let mut holder = s.start(&s.job("mail").attempts(max)).await?;
        s.apply(&holder.retry(Millis(1), boom())).await?;
        s.expect_state(holder.id(), State::Dead).await?;
    }
    Ok(())
}

case!(a_run_whose_journal_does_not_fit_waits_for_a_person);
async fn a_run_whose_journal_does_not_fit_waits_for_a_person(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").key("7").attempts(1)).await?;
    let error = boom();
    s.apply(&holder.settle(Settle::Hold { error })).await?;
    let job = s.expect_state(holder.id(), State::Suspended).await?;
    check_eq!(job.head.visible_at, None);
    check_eq!(job.head.attempt, 1);
    check_eq!(job.notes.error, Some(boom()));
    s.advance(Millis::secs(1_000_000));
    s.claim_nothing().await?;
    check!(s.enqueue(&s.job("mail").key("7")).await?.deduped);
    s.requeue(holder.id(), &[]).await?;
    s.claim_one().await?;
    Ok(())
}

case!(b53_a_failed_attempt_is_one_write_of_release_and_retry);
async fn b53_a_failed_attempt_is_one_write_of_release_and_retry(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let retry = holder.retry(Millis(1000), boom());
    s.apply(&retry).await?;
    let stored = s.row(holder.id()).await?;
    s.advance(Millis(500));
    s.apply(&retry).await?;
    check_eq!(s.row(holder.id()).await?, stored, "the delay begins once");
    Ok(())
}

case!(b41_outputs_that_look_like_nothing_are_recorded);
async fn b41_outputs_that_look_like_nothing_are_recorded(s: Subject) -> Result {
    let outputs = ["", "null", "\"\"", "0", "false", "[]", "{}"];
    let mut holder = s.start(&s.job("mail")).await?;
    let records: Vec<StepRecord> = outputs
        .iter()
        .enumerate()
        .map(|(n, output)| holder.step(&format!("step-{n}"), *output))
        .collect();
    s.apply(&holder.steps(records.clone())).await?;
    s.advance_to(holder.until());
    let next = s.claim_one().await?;
    check_eq!(next.claimed.journal, records);
    for (record, output) in next.claimed.journal.iter().zip(outputs) {
        check_eq!(record.outcome, Some(done(output)));
    }
    Ok(())
}

case!(every_kind_of_outcome_is_recorded);
async fn every_kind_of_outcome_is_recorded(s: Subject) -> Result {
    let outcomes = [
        done("1"),
        StepOutcome::Failed(boom()),
        StepOutcome::Interrupted,
        StepOutcome::TimedOut,
    ];
    let mut holder = s.start(&s.job("mail")).await?;
    let records: Vec<StepRecord> = outcomes
        .into_iter()
        .enumerate()
        .map(|(n, outcome)| {
            let kind = RecordKind::ALL[n];
            let from = StepRecord::pending(format!("step-{n}"), kind, s.now());
            holder.deliver(from, outcome)
        })
        .collect();
    s.apply(&holder.steps(records.clone())).await?;
    check_eq!(s.view(holder.id()).await?.journal, records);
    Ok(())
}

case!(progress_log_and_trace_are_kept_for_people);
async fn progress_log_and_trace_are_kept_for_people(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let line = |text: &str| LogLine {
        at: s.now(),
        text: text.into(),
    };
    let progress = Progress {
        done: 3,
        total: u64::MAX,
        message: "three".into(),
    };
    let trace = Trace {
        used: vec!["one".into(), "two".into()],
        replayed: vec!["one".into()],
    };
    let mut first = holder.steps(Vec::new());
    first.log = vec![line("a"), line("b")];
    first.progress = Some(progress.clone());
    s.apply(&first).await?;
    let mut last = holder.ack("1");
    last.log = vec![line("c")];
    last.trace = Some(trace.clone());
    s.apply(&last).await?;
    let view = s.view(holder.id()).await?;
    check_eq!(view.log, [line("a"), line("b"), line("c")]);
    check_eq!(view.job.notes.progress, Some(progress));
    check_eq!(view.job.notes.trace, Some(trace));
    Ok(())
}

case!(a_job_that_talks_without_end_keeps_its_last_words);
async fn a_job_that_talks_without_end_keeps_its_last_words(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    for n in 0..30 {
        let mut commit = holder.steps(Vec::new());
        commit.log = (0..100)
            .map(|m| LogLine {
                at: s.now(),
                text: format!("{n}-{m}"),
            })
            .collect();
        s.apply(&commit).await?;
    }
    let log = s.view(holder.id()).await?.log;
    check_eq!(log.len(), LOG_LIMIT_LINES);
    check_eq!(log.last().map(|line| line.text.as_str()), Some("29-99"));
    Ok(())
}
