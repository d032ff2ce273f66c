//! The journal: step records, by run and name, in the order of their positions.

use super::shapes::{JobShape, boom, done, sleep, wait};
use super::{Result, Subject};
use crate::core::{
    EventId, JobId, Millis, Position, RecordKind, RunId, Settle, State, StepOutcome, StepRecord,
    WaitSpec,
};

case!(a_record_comes_back_with_every_field);
async fn a_record_comes_back_with_every_field(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let record = StepRecord {
        name: "pay/7 of \u{1F34B}".into(),
        kind: RecordKind::Event,
        position: Some(Position(0)),
        outcome: Some(done(vec![0, 255])),
        fingerprint: u64::MAX,
        attempts: 9,
        started_at: s.now(),
        completed_at: Some(s.now().after(Millis(1))),
        wake_at: Some(s.now().after(Millis(2))),
        wait: Some(WaitSpec {
            names: vec!["paid".into(), "payed".into()],
            key: Some("k".into()),
            since: s.now(),
        }),
        event: Some(EventId::new(s.now(), 5)),
        child: Some(JobId::new(s.now(), 6)),
        last_error: Some(boom()),
        copied_from: Some(RunId::new(s.now(), 7)),
    };
    s.apply(&holder.steps(vec![record.clone()])).await?;
    check_eq!(s.view(holder.id()).await?.journal, [record.clone()]);
    s.advance_to(holder.until());
    check_eq!(s.claim_one().await?.claimed.journal, [record]);
    Ok(())
}

case!(records_come_back_in_the_order_of_their_positions);
async fn records_come_back_in_the_order_of_their_positions(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let names: Vec<String> = (0..300).rev().map(|n| format!("step-{n}")).collect();
    for chunk in names.chunks(100) {
        let mut records: Vec<StepRecord> =
            chunk.iter().map(|name| holder.step(name, "1")).collect();
        records.sort_by(|a, b| a.name.cmp(&b.name));
        s.apply(&holder.steps(records)).await?;
    }
    s.advance_to(holder.until());
    let next = s.claim_one().await?;
    check_eq!(next.step_names(), names);
    check_eq!(next.claimed.job.head.next_position, Position(300));
    Ok(())
}

case!(a_record_replaces_the_one_of_its_name);
async fn a_record_replaces_the_one_of_its_name(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let pending = sleep("nap", s.now(), s.now().after(Millis(5)));
    s.apply(&holder.steps(vec![pending.clone()])).await?;
    let fired = holder.deliver(pending, done("null"));
    s.apply(&holder.steps(vec![fired.clone()])).await?;
    check_eq!(s.view(holder.id()).await?.journal, [fired]);
    Ok(())
}

case!(r15_a_start_without_an_end_survives_a_crash_and_is_replaced_by_its_end);
async fn r15_a_start_without_an_end_survives_a_crash_and_is_replaced_by_its_end(
    s: Subject,
) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let start = StepRecord {
        attempts: 1,
        ..StepRecord::pending("charge", RecordKind::Step, s.now())
    };
    s.apply(&holder.steps(vec![start.clone()])).await?;
    s.advance_to(holder.until());
    let mut next = s.claim_one().await?;
    check_eq!(next.claimed.journal, [start.clone()]);
    check!(next.claimed.journal.iter().all(StepRecord::is_start));
    let end = next.deliver(start, StepOutcome::Interrupted);
    s.apply(&next.steps(vec![end.clone()])).await?;
    check_eq!(s.view(next.id()).await?.journal, [end]);
    Ok(())
}

case!(a_removed_record_is_gone);
async fn a_removed_record_is_gone(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let kept = sleep("kept", s.now(), s.now());
    let lost = sleep("lost", s.now(), s.now());
    s.apply(&holder.steps(vec![kept.clone(), lost])).await?;
    let commit = holder.steps(Vec::new());
    // A name that is not there is no reason to fail.
    s.apply(&commit.removing(vec!["lost".into(), "never".into()]))
        .await?;
    check_eq!(s.view(holder.id()).await?.journal, [kept]);
    Ok(())
}

case!(d24_a_pending_record_survives_nack_park_and_crash);
async fn d24_a_pending_record_survives_nack_park_and_crash(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(9)).await?;
    let nap = StepRecord {
        attempts: 4,
        last_error: Some(boom()),
        ..sleep("nap", s.now(), s.now().after(Millis(7_200_000)))
    };
    s.apply(&holder.steps(vec![nap.clone()])).await?;
    s.advance_to(holder.until());
    let mut holder = s.claim_one().await?;
    check_eq!(holder.claimed.journal, [nap.clone()], "after a crash");
    s.apply(&holder.retry(Millis(1), boom())).await?;
    s.advance(Millis(1));
    let mut holder = s.claim_one().await?;
    check_eq!(holder.claimed.journal, [nap.clone()], "after a nack");
    s.apply(&holder.park(Vec::new(), Some(s.now()))).await?;
    let mut holder = s.claim_one().await?;
    check_eq!(holder.claimed.journal, [nap.clone()], "after a park");
    s.apply(&holder.settle(Settle::HandBack)).await?;
    let holder = s.claim_one().await?;
    check_eq!(holder.claimed.journal, [nap], "after a hand-back");
    Ok(())
}

case!(a_journal_belongs_to_one_run);
async fn a_journal_belongs_to_one_run(s: Subject) -> Result {
    s.enqueue_all(&[s.job("mail"), s.job("mail")]).await?;
    let mut holders = s.claim(2).await?;
    for (n, holder) in holders.iter_mut().enumerate() {
        let step = holder.step("one", format!("{n}"));
        s.apply(&holder.steps(vec![step])).await?;
    }
    for (n, holder) in holders.iter().enumerate() {
        let journal = s.view(holder.id()).await?.journal;
        check_eq!(journal.len(), 1);
        check_eq!(journal[0].outcome, Some(done(format!("{n}"))));
    }
    Ok(())
}

case!(the_journal_stays_with_an_ended_job);
async fn the_journal_stays_with_an_ended_job(s: Subject) -> Result {
    let ends = [
        Settle::Ack {
            output: crate::core::Payload::json(*b"1"),
        },
        Settle::Fail { error: boom() },
        Settle::Cancel,
        Settle::Retry {
            delay: Millis(1),
            error: boom(),
        },
    ];
    for settle in ends {
        let mut holder = s.start(&s.job("mail").attempts(1)).await?;
        let step = holder.step("one", "1");
        let paid = wait("paid", "paid", None, s.now());
        s.apply(&holder.steps(vec![step.clone(), paid.clone()]))
            .await?;
        s.apply(&holder.settle(settle)).await?;
        check_eq!(s.view(holder.id()).await?.journal, [step, paid]);
    }
    Ok(())
}

case!(a_first_attempt_has_an_empty_journal);
async fn a_first_attempt_has_an_empty_journal(s: Subject) -> Result {
    let holder = s.start(&s.job("mail")).await?;
    check!(holder.claimed.journal.is_empty());
    check_eq!(holder.claimed.job.head.next_position, Position(0));
    s.expect_state(holder.id(), State::Running).await?;
    Ok(())
}
