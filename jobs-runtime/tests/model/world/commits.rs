//! What the holder of a lease sends: a commit of steps, waits, children, events and an end, and what
//! it learns from the answer.

use super::*;

impl World {
    pub(super) fn commit(&mut self, which: &Index, carried: &Carried) {
        if self.holders.is_empty() {
            return;
        }
        let which = which.index(self.holders.len());
        let mut holder = self.holders.remove(which);
        let commit = self.made(&mut holder, carried);
        let answer = self.send(&commit);
        self.keep(commit.clone(), answer.as_ref());
        match answer {
            Some(CommitAnswer::Applied(applied)) => {
                if let Some(news) = applied.nudge {
                    holder.claimed.nudge = news;
                }
                holder.number += 1;
                let journal = &mut holder.claimed.journal;
                for record in commit.records {
                    journal.retain(|own| own.name != record.name);
                    if let Some(at) = record.position {
                        holder.next = holder.next.max(at.next());
                    }
                    journal.push(record);
                }
            }
            Some(CommitAnswer::Nudged(news)) => holder.claimed.nudge = news,
            _ => {}
        }
        // Kept also when it is over: a late writer must change nothing.
        self.holders.push(holder);
    }

    fn made(&mut self, holder: &mut Holder, carried: &Carried) -> Commit {
        let spec = holder.claimed.job.spec.clone();
        let mut next = holder.next;
        let mut records = Vec::new();
        let mut place = || {
            let at = next;
            next = at.next();
            at
        };
        for _ in 0..carried.steps {
            let at = place();
            let name = format!("step-{}", at.0);
            let step = shape::pending(name, RecordKind::Step, self.now);
            records.push(shape::delivered(step, at, self.now));
        }
        if carried.takes {
            records.extend(taken(holder, &mut place, self.now));
        }
        if let Some((event, key)) = carried.wait {
            let name = format!("wait-{}", self.ids.bits());
            records.push(shape::wait(name, event, key, self.now));
        }
        let goes_on = matches!(carried.end, End::GoOn | End::Suspend(_));
        let mut children = Vec::new();
        if let Some((asked, detached)) = carried.child.as_ref().filter(|_| goes_on) {
            let mut child = shape::job(asked, self.now, &mut self.ids);
            let step = format!("child-{}", self.ids.bits());
            records.push(StepRecord {
                child: Some(child.spec.id),
                ..shape::pending(step.clone(), RecordKind::Child, self.now)
            });
            let parent = Parent {
                job: spec.id,
                run: spec.run_id,
                step,
            };
            child.spec.parent = (!detached).then_some(parent);
            children.push(child);
        }
        let number = CommitNumber {
            token: holder.claimed.job.head.token,
            number: holder.number + 1,
        };
        let seen = holder
            .claimed
            .nudge
            .count
            .saturating_sub(u64::from(carried.is_blind));
        let mut commit = Commit::steps(spec.id, spec.run_id, number, holder.next, seen, records);
        commit.children = children;
        if let Some((name, key)) = carried.publishes {
            commit.events = vec![shape::event(
                name,
                Some(key),
                None,
                60,
                self.now,
                &mut self.ids,
            )];
        }
        if carried.notes {
            let progress = Progress {
                done: 1,
                total: 2,
                message: "half".into(),
            };
            let line = LogLine {
                at: self.now,
                text: "a line".into(),
            };
            commit = commit.noting(Some(progress), vec![line]);
        }
        match self.settle(&spec, carried.end) {
            Some(settle) => commit.settling(settle, Trace::default()),
            None => commit,
        }
    }

    fn settle(&mut self, spec: &jobs_runtime::core::JobSpec, end: End) -> Option<Settle> {
        let error = || StoredError::new("X_MODEL", "it went wrong");
        Some(match end {
            End::Ack => Settle::Ack {
                output: Payload::json(*b"1"),
            },
            End::Continue => {
                let mut next = spec.clone();
                next.id = JobId::new(self.now, self.ids.bits());
                next.run_id = RunId::new(self.now, self.ids.bits());
                next.continued_from = Some(spec.run_id);
                next.parent = None;
                Settle::Continue {
                    next: Box::new(NewJob {
                        spec: next,
                        visible: jobs_runtime::core::Visible::Now,
                        attempts_max: 2,
                        on_conflict: jobs_runtime::OnConflict::Dedupe,
                        unique_for: None,
                        window: None,
                        expires: None,
                        prefix: Vec::new(),
                    }),
                }
            }
            End::Defer => Settle::Defer { delay: Millis(700) },
            End::Fail => Settle::Fail { error: error() },
            End::GoOn => return None,
            End::HandBack => Settle::HandBack,
            End::Hold => Settle::Hold { error: error() },
            End::Retry(secs) => Settle::Retry {
                delay: Millis::secs(secs),
                error: error(),
            },
            End::Suspend(secs) => Settle::Suspend {
                wake_at: secs.map(|secs| self.now.after(Millis::secs(secs))),
            },
        })
    }
}

/// The record of a wait that something in the inbox serves.
fn taken(
    holder: &Holder,
    place: &mut impl FnMut() -> Position,
    now: Timestamp,
) -> Option<StepRecord> {
    let journal = &holder.claimed.journal;
    holder
        .claimed
        .nudge
        .inbox
        .iter()
        .find_map(|item| match &item.content {
            InboxContent::Event {
                id,
                name,
                key,
                published_at,
                ..
            } => {
                let serves = |record: &&StepRecord| {
                    let wait = record.wait.as_ref().filter(|_| record.position.is_none());
                    wait.is_some_and(|wait| wait.matches(name, key.as_deref(), *published_at))
                };
                let record = journal.iter().find(serves)?;
                let record = shape::delivered(record.clone(), place(), now);
                Some(StepRecord {
                    event: Some(*id),
                    ..record
                })
            }
            InboxContent::Child { job, .. } | InboxContent::Detached { job, .. } => {
                let is_its = |r: &&StepRecord| r.position.is_none() && r.child == Some(*job);
                let record = journal.iter().find(is_its)?;
                Some(shape::delivered(record.clone(), place(), now))
            }
        })
}
