//! Forks: a new run that starts with the records of another.

use super::shapes::{JobShape, boom};
use super::{Result, Subject};
use crate::core::{Position, RecordKind, StepOutcome, StepRecord};

case!(a_fork_starts_with_the_records_it_was_given);
async fn a_fork_starts_with_the_records_it_was_given(s: Subject) -> Result {
    let mut origin = s.start(&s.job("mail").key("7")).await?;
    let one = origin.step("one", "1");
    let two = StepRecord::pending("two", RecordKind::Step, s.now());
    let two = origin.deliver(two, StepOutcome::Failed(boom()));
    s.apply(&origin.steps(vec![one, two])).await?;
    let run = origin.claimed.job.spec.run_id;
    let prefix = s.view(origin.id()).await?.journal.into_iter();
    let prefix: Vec<StepRecord> = prefix
        .map(|record| StepRecord {
            copied_from: Some(run),
            ..record
        })
        .collect();
    let fork = s.job("mail").shape(|job| {
        job.spec.fork_of = Some(run);
        job.prefix = prefix.clone();
    });
    check!(!s.enqueue(&fork).await?.deduped, "it has no key");
    let mut forked = s.claim_one().await?;
    check_eq!(forked.claimed.journal, prefix);
    check_eq!(forked.claimed.job.spec.fork_of, Some(run));
    check_eq!(forked.claimed.job.head.next_position, Position(2));
    let three = forked.step("three", "3");
    check_eq!(three.position, Some(Position(2)));
    s.apply(&forked.steps(vec![three])).await?;
    check_eq!(s.view(origin.id()).await?.journal.len(), 2, "untouched");
    Ok(())
}

case!(a_fork_with_a_key_is_never_given_another_input);
async fn a_fork_with_a_key_is_never_given_another_input(s: Subject) -> Result {
    let mut origin = s.start(&s.job("mail")).await?;
    let prefix = vec![origin.step("one", "1")];
    let fork = s.job("mail").key("7").shape(|job| job.prefix = prefix);
    s.enqueue(&fork).await?;
    let other = s.job("mail").key("7").input("2").or_replace();
    check!(
        !s.enqueue(&other).await?.deduped,
        "its steps were made from its input"
    );
    Ok(())
}
