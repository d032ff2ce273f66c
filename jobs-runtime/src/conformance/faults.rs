//! Calls that break off, before the store has done them or after: a caller who goes on by the
//! rules of the contract ends where one ends to whom nothing happened. Each verb is broken off at
//! each of its calls.

use super::children::{child_of, outcome_of, park_for, pending};
use super::faulty::{Cut, Fault, Faulty, Verb};
use super::holder::Holder;
use super::shapes::{EventShape, JobShape, boom, wait};
use super::subject::LEASE;
use super::{Failure, Result, Subject};
use crate::Error;
use crate::contract::{Driver, Enqueued, PruneBounds, QueueSetting, SettingWrite};
use crate::core::{
    Commit, CommitAnswer, JobId, Millis, NewEvent, NewJob, Settle, State, StepRecord, Trace,
};
use std::sync::Arc;

/// More than the claims of a story that can lose their answer.
const ATTEMPTS: u32 = 20;
/// Claims until the story gives up: the lost one, one that finds nothing, and the one after the
/// end of the lease.
const CLAIMS: usize = 4;

case!(an_enqueue_that_breaks_off_is_sent_again);
async fn an_enqueue_that_breaks_off_is_sent_again(s: Subject) -> Result {
    breaks_off(&s, Verb::Enqueue, 6).await
}

case!(a_claim_that_breaks_off_is_made_again_or_its_lease_ends);
async fn a_claim_that_breaks_off_is_made_again_or_its_lease_ends(s: Subject) -> Result {
    breaks_off(&s, Verb::Claim, 9).await
}

case!(a_commit_that_breaks_off_is_sent_again);
async fn a_commit_that_breaks_off_is_sent_again(s: Subject) -> Result {
    breaks_off(&s, Verb::Commit, 11).await
}

case!(a_heartbeat_that_breaks_off_is_sent_again);
async fn a_heartbeat_that_breaks_off_is_sent_again(s: Subject) -> Result {
    breaks_off(&s, Verb::Heartbeat, 1).await
}

case!(a_publication_that_breaks_off_is_sent_again);
async fn a_publication_that_breaks_off_is_sent_again(s: Subject) -> Result {
    breaks_off(&s, Verb::Publish, 2).await
}

case!(a_setting_whose_write_breaks_off_is_read_again);
async fn a_setting_whose_write_breaks_off_is_read_again(s: Subject) -> Result {
    breaks_off(&s, Verb::WriteSetting, 2).await
}

case!(settings_whose_reading_breaks_off_are_read_again);
async fn settings_whose_reading_breaks_off_are_read_again(s: Subject) -> Result {
    breaks_off(&s, Verb::ReadSettings, 4).await
}

case!(retention_that_breaks_off_is_asked_for_again);
async fn retention_that_breaks_off_is_asked_for_again(s: Subject) -> Result {
    breaks_off(&s, Verb::Prune, 1).await
}

case!(stats_that_break_off_are_read_again);
async fn stats_that_break_off_are_read_again(s: Subject) -> Result {
    breaks_off(&s, Verb::Stats, 1).await
}

/// Plays the story once as it is, then with each of its calls of this verb broken off, then with
/// all of them; `least` says how many there are, so that a story that became shorter is seen.
async fn breaks_off(s: &Subject, verb: Verb, least: usize) -> Result {
    let (whole, calls) = played(s, verb, None).await?;
    check!(calls >= least, "{verb:?} is called {calls} times");
    for cut in [Cut::Before, Cut::After] {
        let single = (1..=calls).map(|nth| Fault::Nth(verb, nth, cut));
        for fault in single.chain([Fault::Each(verb, cut)]) {
            let (told, _) = played(s, verb, Some(fault)).await?;
            check_eq!(told, whole, "{fault:?}");
        }
    }
    Ok(())
}

/// What the story leaves with this fault, and how often it called this verb.
async fn played(s: &Subject, verb: Verb, fault: Option<Fault>) -> Result<(Vec<String>, usize)> {
    let faulty = Arc::new(Faulty::new(s.shared_driver(), fault));
    let caller = Caller {
        s: s.over(Arc::clone(&faulty) as Arc<dyn Driver>),
        mark: format!("m{:x}", s.bits()),
    };
    let told = caller.story().await;
    let told = told.map_err(|failure| Failure::here(format!("{fault:?}: {failure}")))?;
    check_eq!(faulty.cut() > 0, fault.is_some(), "{fault:?} struck");
    // Nothing of it meets the next story.
    s.advance(Millis::secs(1));
    Ok((told, faulty.made(verb)))
}

/// Somebody who goes on by the rules of the contract, whatever breaks off.
struct Caller {
    s: Subject,
    /// In each key and queue of this story.
    mark: String,
}

impl Caller {
    /// Uses every verb; gives what is left in the store, without what a lost lease may change:
    /// times, tokens, revisions.
    async fn story(&self) -> Result<Vec<String>> {
        let mut told = self.an_order().await?;
        told.extend(self.newest_inputs().await?);
        told.extend(self.a_person().await?);
        told.extend(self.an_operator().await?);
        Ok(told)
    }

    /// Steps, a child that fails once, and an event.
    async fn an_order(&self) -> Result<Vec<String>> {
        let order = self.job("order").key(&self.mark);
        check!(!self.enqueue(&order).await?.deduped);
        let twin = self.enqueue(&self.job("order").key(&self.mark)).await?;
        check_eq!(twin.id, order.spec.id);
        let mut run = self.claim(order.spec.id).await?;
        let one = run.step("one", "1");
        self.apply(&run.steps(vec![one])).await?;
        self.beat(&run).await?;
        let child = child_of(&self.s, &run).shape(|job| self.mark(job));
        let mut park = park_for(&self.s, &mut run, &child);
        park.events = vec![self.event("placed")];
        self.apply(&park).await?;

        let mut bill = self.claim(child.spec.id).await?;
        self.apply(&bill.retry(Millis(10), boom())).await?;
        self.s.advance(Millis(10));
        let mut bill = self.claim(child.spec.id).await?;
        self.apply(&bill.ack("7")).await?;

        let mut run = self.claim(order.spec.id).await?;
        let outcome = outcome_of(&run.claimed.nudge.inbox, &child)?;
        let billed = run.deliver(pending(&self.s, &child), outcome);
        let paid = wait("paid", "paid", Some(&self.mark), self.s.now());
        self.apply(&run.park(vec![billed, paid], None)).await?;
        self.publish(&self.event("paid").payload("5")).await?;

        let mut run = self.claim(order.spec.id).await?;
        let paid = self.waiting(&run, "paid")?;
        let inbox = run.claimed.nudge.inbox.clone();
        let paid = run.deliver_event(paid, &inbox)?;
        let output = crate::core::Payload::json(*b"2");
        let end = run.steps(vec![paid]);
        self.apply(&end.settling(Settle::Ack { output }, Trace::default()))
            .await?;
        Ok(vec![
            self.left_of("order", order.spec.id).await?,
            self.left_of("bill", child.spec.id).await?,
        ])
    }

    /// One that has not begun gets another input, and one that has is followed.
    async fn newest_inputs(&self) -> Result<Vec<String>> {
        let job = |input: &str| {
            let job = self.job("sync").key(&self.mark);
            job.input(input).or_replace()
        };
        let first = self.enqueue(&job("1")).await?;
        check_eq!(self.enqueue(&job("2")).await?.id, first.id);
        let mut run = self.claim(first.id).await?;
        let follower = self.enqueue(&job("3")).await?;
        check!(follower.id != first.id && !follower.deduped);
        self.apply(&run.ack("1")).await?;
        let mut run = self.claim(follower.id).await?;
        self.apply(&run.ack("3")).await?;
        Ok(vec![
            self.left_of("first", first.id).await?,
            self.left_of("follower", follower.id).await?,
        ])
    }

    /// What failed is revived, and cancelled.
    async fn a_person(&self) -> Result<Vec<String>> {
        let job = self.job("letter");
        let id = job.spec.id;
        self.enqueue(&job).await?;
        let mut run = self.claim(id).await?;
        let fail = run.settle(Settle::Fail { error: boom() });
        self.apply(&fail).await?;
        let seen = self.s.expect_state(id, State::Failed).await?;
        let revision = seen.head.revision;
        let revive = Commit::requeue(id, seen.spec.run_id, revision, Vec::new());
        self.apply(&revive.with_id(self.s.bits() as u64)).await?;
        self.claim(id).await?;
        let seen = self.s.expect_state(id, State::Running).await?;
        let cancel = Commit::cancel(id, seen.spec.run_id, seen.head.revision);
        self.apply(&cancel.with_id(self.s.bits() as u64)).await?;
        Ok(vec![self.left_of("letter", id).await?])
    }

    /// Pauses and resumes a queue, looks at it, and clears away what has ended.
    async fn an_operator(&self) -> Result<Vec<String>> {
        let key = QueueSetting::key(&self.mark);
        self.set(&key, r#"{"paused":true}"#).await?;
        let job = self.job("mail");
        self.enqueue(&job).await?;
        self.claim_nothing().await?;
        self.set(&key, r#"{"paused":false}"#).await?;
        let driver = self.s.driver();
        let stats = again(|| driver.stats(Some(self.s.now()))).await?;
        let stats = stats.into_iter().find(|stats| stats.queue == self.mark);
        let ready = stats.map_or(0, |stats| stats.ready);
        let mut run = self.claim(job.spec.id).await?;
        self.apply(&run.ack("1")).await?;
        let passing = self.event("passing").ttl(Millis(1));
        self.publish(&passing).await?;
        self.s.advance(Millis::secs(1));
        let bounds = PruneBounds {
            ended_before: self.s.now(),
            rules: Vec::new(),
            spared: Millis(0),
            events_expired_before: self.s.now(),
            dead_before: None,
            limit: 1_000,
        };
        again(|| driver.prune(&bounds, Some(self.s.now()))).await?;
        let job = self.s.inspect().job(job.spec.id).await?;
        let events = self.s.inspect().events(Some("passing"), 0, 10).await?;
        Ok(vec![format!(
            "{ready} ready, {} kept, {} events",
            job.iter().count(),
            events.len()
        )])
    }

    fn job(&self, name: &str) -> NewJob {
        self.s.job(name).shape(|job| self.mark(job))
    }

    fn mark(&self, job: &mut NewJob) {
        job.spec.queue.clone_from(&self.mark);
        job.attempts_max = ATTEMPTS;
    }

    fn event(&self, name: &str) -> NewEvent {
        self.s.event(name).key(&self.mark)
    }

    fn waiting(&self, run: &Holder, step: &str) -> Result<StepRecord> {
        let mut journal = run.claimed.journal.iter();
        let found = journal.find(|record| record.name == step).cloned();
        found.ok_or_else(|| Failure::here(format!("no record of {step}")))
    }

    async fn enqueue(&self, job: &NewJob) -> Result<Enqueued> {
        let (driver, jobs) = (self.s.driver(), std::slice::from_ref(job));
        let answers = again(|| driver.enqueue(jobs, Some(self.s.now()))).await?;
        let answer = answers.into_iter().next();
        Ok(answer.ok_or_else(|| Failure::here("no answer"))??)
    }

    /// A claim whose answer is lost is not sent again: another one finds nothing, until the lease
    /// that nobody knows of has ended.
    async fn claim(&self, id: JobId) -> Result<Holder> {
        for _ in 0..CLAIMS {
            let mut request = self.s.request(10);
            request.queues = vec![self.mark.clone()];
            match self.s.driver().claim(&request).await {
                Ok(claims) => match claims.jobs.into_iter().next() {
                    Some(claimed) => {
                        check_eq!(claimed.job.spec.id, id);
                        return Ok(Holder::new(claimed));
                    }
                    None => self.s.advance(LEASE),
                },
                Err(error) if error.is_transient() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Failure::here(format!("{id} could not be claimed")))
    }

    async fn claim_nothing(&self) -> Result {
        let driver = self.s.driver();
        let mut request = self.s.request(10);
        request.queues = vec![self.mark.clone()];
        let claims = again(|| driver.claim(&request)).await?;
        check!(claims.jobs.is_empty(), "its queue is paused");
        Ok(())
    }

    async fn apply(&self, commit: &Commit) -> Result {
        let (driver, commits) = (self.s.driver(), std::slice::from_ref(commit));
        let answers = again(|| driver.commit(commits, Some(self.s.now()))).await?;
        match answers.as_slice() {
            [CommitAnswer::Applied(_)] => Ok(()),
            other => Err(Failure::here(format!("not applied: {other:?}"))),
        }
    }

    async fn beat(&self, run: &Holder) -> Result {
        let (driver, beats) = (self.s.driver(), [run.beat(LEASE)]);
        let answers = again(|| driver.heartbeat(&beats, Some(self.s.now()))).await?;
        match answers.as_slice() {
            [crate::contract::BeatAnswer::Held { .. }] => Ok(()),
            other => Err(Failure::here(format!("not held: {other:?}"))),
        }
    }

    async fn publish(&self, event: &NewEvent) -> Result {
        let (driver, events) = (self.s.driver(), std::slice::from_ref(event));
        let answers = again(|| driver.publish(events, Some(self.s.now()))).await?;
        check_eq!(answers.len(), 1);
        Ok(())
    }

    /// A write of a setting has no id: who misses its answer reads what is there now.
    async fn set(&self, key: &str, value: &str) -> Result {
        let driver = self.s.driver();
        for _ in 0..CLAIMS {
            let there = again(|| driver.settings(key)).await?;
            let there = there.into_iter().find(|setting| setting.key == key);
            if there
                .as_ref()
                .is_some_and(|there| there.value == value.as_bytes())
            {
                return Ok(());
            }
            let write = SettingWrite {
                key: key.into(),
                value: Some(value.as_bytes().to_vec()),
                expected: there.map_or(0, |there| there.revision),
                jobs: Vec::new(),
            };
            match driver.write_setting(&write, Some(self.s.now())).await {
                Ok(written) => check!(written.is_some(), "nobody else writes it"),
                Err(error) if error.is_transient() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Failure::here(format!("{key} could not be written")))
    }

    /// A job as it stands, without what a lost lease may change.
    async fn left_of(&self, role: &str, id: JobId) -> Result<String> {
        let view = self.s.view(id).await?;
        let head = &view.job.head;
        let journal = view.journal.iter().map(|record| {
            let (name, position, outcome) = (&record.name, record.position, &record.outcome);
            format!("{name} {position:?} {outcome:?}")
        });
        Ok(format!(
            "{role}: {}, attempt {}, from {:?}, journal {:?}, {} in the inbox",
            head.state,
            head.attempt.saturating_sub(head.lease_losses),
            String::from_utf8_lossy(&view.job.spec.input.bytes),
            journal.collect::<Vec<_>>(),
            view.inbox.len(),
        ))
    }
}

/// A caller's rule: what failed for the sake of the store is sent again as it was.
async fn again<T, F>(call: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = std::result::Result<T, Error>>,
{
    match call().await {
        Err(error) if error.is_transient() => Ok(call().await?),
        answer => Ok(answer?),
    }
}
