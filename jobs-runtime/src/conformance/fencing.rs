//! Fencing: a write that is not the current lease's changes nothing, and one that is stored is
//! stored once.

use super::holder::payloads;
use super::shapes::{EventShape, JobShape, boom, wait};
use super::subject::LEASE;
use super::{Failure, Result, Subject};
use crate::contract::BeatAnswer;
use crate::core::{Commit, CommitAnswer, Millis, Position, Settle, State};

case!(b03_a_stale_holder_is_refused_every_write);
async fn b03_a_stale_holder_is_refused_every_write(s: Subject) -> Result {
    let stale = s.start(&s.job("mail")).await?;
    s.advance_to(stale.until());
    let current = s.claim_one().await?;
    let before = s.row(stale.id()).await?;
    let step = stale.clone().step("one", "1");
    let writes = [
        stale.clone().ack("1"),
        stale.clone().retry(Millis(1), boom()),
        stale.clone().steps(vec![step]),
        stale.clone().settle(Settle::Fail { error: boom() }),
        stale.clone().settle(Settle::HandBack),
        stale.clone().park(Vec::new(), None),
    ];
    for write in writes {
        let answer = s.commit(&write).await?;
        check_eq!(answer, CommitAnswer::LeaseLost, "{write:?}");
    }
    check_eq!(s.beat(&stale, LEASE).await?, BeatAnswer::Lost);
    let after = s.view(stale.id()).await?;
    check_eq!(after.job, before);
    check!(after.journal.is_empty());
    let held = s.beat(&current, LEASE).await?;
    check!(matches!(held, BeatAnswer::Held { .. }), "{held:?}");
    Ok(())
}

case!(q03_a_late_heartbeat_does_not_steal_the_lease_back);
async fn q03_a_late_heartbeat_does_not_steal_the_lease_back(s: Subject) -> Result {
    let stale = s.start(&s.job("mail")).await?;
    s.advance_to(stale.until());
    let mut current = s.claim_one().await?;
    check_eq!(s.beat(&stale, Millis(3_600_000)).await?, BeatAnswer::Lost);
    check_eq!(
        s.row(stale.id()).await?.head.visible_at,
        Some(current.until())
    );
    s.apply(&current.ack("1")).await?;
    Ok(())
}

case!(d18_a_step_that_ends_after_its_lease_is_not_recorded);
async fn d18_a_step_that_ends_after_its_lease_is_not_recorded(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    // Nobody else has come yet: the end of the lease alone is enough.
    s.advance_to(holder.until());
    let step = holder.step("one", "1");
    let answer = s.commit(&holder.steps(vec![step])).await?;
    check_eq!(answer, CommitAnswer::LeaseLost);
    check!(s.view(holder.id()).await?.journal.is_empty());
    Ok(())
}

case!(two_holders_of_one_epoch_are_told_apart);
async fn two_holders_of_one_epoch_are_told_apart(s: Subject) -> Result {
    let holder = s.start(&s.job("mail")).await?;
    let mut twin = holder.clone();
    twin.claimed.job.head.token.nonce ^= 1;
    check_eq!(s.commit(&twin.ack("1")).await?, CommitAnswer::LeaseLost);
    check_eq!(s.beat(&twin, LEASE).await?, BeatAnswer::Lost);
    s.expect_state(holder.id(), State::Running).await?;
    Ok(())
}

case!(commits_of_a_lease_apply_only_in_order);
async fn commits_of_a_lease_apply_only_in_order(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let one = holder.step("one", "1");
    let first = holder.steps(vec![one]);
    let two = holder.step("two", "2");
    let second = holder.steps(vec![two]);
    check_eq!(s.commit(&second).await?, CommitAnswer::LeaseLost);
    s.apply(&first).await?;
    s.apply(&second).await?;
    check_eq!(s.row(holder.id()).await?.head.next_position, Position(2));
    Ok(())
}

case!(a_commit_before_its_turn_is_refused_though_it_records_nothing);
async fn a_commit_before_its_turn_is_refused_though_it_records_nothing(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let first = holder.steps(Vec::new());
    let last = holder.ack("1");
    check_eq!(s.commit(&last).await?, CommitAnswer::LeaseLost);
    s.expect_state(holder.id(), State::Running).await?;
    s.apply(&first).await?;
    s.apply(&last).await?;
    Ok(())
}

case!(a_commit_from_the_wrong_position_is_refused);
async fn a_commit_from_the_wrong_position_is_refused(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let step = holder.step("one", "1");
    let mut commit = holder.steps(vec![step]);
    commit.base = Some(Position(1));
    check_eq!(s.commit(&commit).await?, CommitAnswer::LeaseLost);
    check!(s.view(holder.id()).await?.journal.is_empty());
    Ok(())
}

case!(a_commit_whose_answer_was_lost_is_applied_once);
async fn a_commit_whose_answer_was_lost_is_applied_once(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let one = holder.step("one", "1");
    let mut commit = holder.steps(vec![one]);
    commit.events = vec![s.event("paid")];
    commit.children = vec![s.job("bill")];
    s.apply(&commit).await?;
    let stored = s.row(holder.id()).await?;
    s.apply(&commit).await?;
    s.apply(&commit).await?;
    check_eq!(s.row(holder.id()).await?, stored);
    check_eq!(s.inspect().events(None, 0, 10).await?.len(), 1);
    check_eq!(s.claim(10).await?.len(), 1, "one child");
    Ok(())
}

case!(an_older_commit_that_comes_again_changes_nothing);
async fn an_older_commit_that_comes_again_changes_nothing(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let one = holder.step("one", "1");
    let first = holder.steps(vec![one]);
    let two = holder.step("two", "2");
    let second = holder.steps(vec![two]);
    s.apply(&first).await?;
    s.apply(&second).await?;
    let stored = s.view(holder.id()).await?;
    s.apply(&first).await?;
    let again = s.view(holder.id()).await?;
    check_eq!(again.job, stored.job);
    check_eq!(again.journal, stored.journal);
    Ok(())
}

case!(an_ack_whose_answer_was_lost_is_applied_though_the_job_has_ended);
async fn an_ack_whose_answer_was_lost_is_applied_though_the_job_has_ended(s: Subject) -> Result {
    let settles = [
        (Settle::Fail { error: boom() }, State::Failed),
        (Settle::Cancel, State::Cancelled),
        (
            Settle::Retry {
                delay: Millis(1),
                error: boom(),
            },
            State::Dead,
        ),
    ];
    for (settle, state) in settles {
        let mut holder = s.start(&s.job("mail").attempts(1)).await?;
        let commit = holder.settle(settle);
        s.apply(&commit).await?;
        s.apply(&commit).await?;
        s.expect_state(holder.id(), state).await?;
        let more = s.commit(&holder.ack("2")).await?;
        check!(
            matches!(more, CommitAnswer::LeaseLost | CommitAnswer::Cancelled),
            "{more:?}"
        );
    }
    Ok(())
}

case!(a_repeated_commit_still_brings_news);
async fn a_repeated_commit_still_brings_news(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let commit = holder.steps(vec![wait("paid", "paid", None, s.now())]);
    s.apply(&commit).await?;
    s.publish(&s.event("paid").payload("7")).await?;
    // The writer takes the absence of news for "there was nothing", and would time out.
    let applied = s.apply(&commit).await?;
    let Some(nudge) = applied.nudge else {
        return Err(Failure::here("no news"));
    };
    check_eq!(payloads(&nudge.inbox), [b"7".to_vec()]);
    Ok(())
}

case!(a_commit_of_an_unknown_job_is_refused);
async fn a_commit_of_an_unknown_job_is_refused(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    holder.claimed.job.spec.id = s.job("mail").spec.id;
    check_eq!(s.commit(&holder.ack("1")).await?, CommitAnswer::LeaseLost);
    let job = s.job("mail").spec;
    let cancel = Commit::cancel(job.id, job.run_id, 0);
    check_eq!(s.commit(&cancel).await?, CommitAnswer::Conflict);
    Ok(())
}

case!(a_bad_commit_does_not_take_the_batch_with_it);
async fn a_bad_commit_does_not_take_the_batch_with_it(s: Subject) -> Result {
    s.enqueue_all(&[s.job("mail"), s.job("mail"), s.job("mail")])
        .await?;
    let mut holders = s.claim(3).await?;
    holders[1].claimed.job.head.token.nonce ^= 1;
    let commits: Vec<Commit> = holders.iter_mut().map(|holder| holder.ack("1")).collect();
    let answers = s.commit_all(&commits).await?;
    let applied: Vec<bool> = answers
        .iter()
        .map(|answer| matches!(answer, CommitAnswer::Applied(_)))
        .collect();
    check_eq!(applied, [true, false, true], "{answers:?}");
    s.expect_state(holders[1].id(), State::Running).await?;
    Ok(())
}

case!(two_commits_of_one_run_in_one_batch_both_apply);
async fn two_commits_of_one_run_in_one_batch_both_apply(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let one = holder.step("one", "1");
    let first = holder.steps(vec![one]);
    let two = holder.step("two", "2");
    let second = holder.steps(vec![two]);
    let last = holder.ack("3");
    for answer in s.commit_all(&[first, second, last]).await? {
        check!(matches!(answer, CommitAnswer::Applied(_)), "{answer:?}");
    }
    check_eq!(s.view(holder.id()).await?.journal.len(), 2);
    s.expect_state(holder.id(), State::Done).await?;
    Ok(())
}
