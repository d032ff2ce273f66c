//! Children: asked for, sent in bounded commits, and heard of by the inbox.

use super::*;
use crate::core::run::children::{COMMIT_LIMIT_CHILD_BYTES, COMMIT_LIMIT_CHILDREN};
use crate::core::{InboxContent, InboxItem};

fn child() -> Ask {
    Ask::Child {
        detached: false,
        fingerprint: 7,
    }
}

fn detached() -> Ask {
    Ask::Child {
        detached: true,
        fingerprint: 0,
    }
}

fn id(number: u128) -> JobId {
    JobId::new(NOW, 1_000 + number)
}

fn new_job(number: u128, bytes: usize) -> NewJob {
    let Job { mut spec, .. } = job(&[]);
    spec.id = id(number);
    spec.input.bytes.resize(bytes, b'x');
    NewJob {
        spec,
        visible: Visible::Now,
        attempts_max: 3,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    }
}

impl Lease {
    /// Asks for this child, and gives the request as soon as it is wanted.
    fn bear(&mut self, name: &'static str, ask: Ask, number: u128) -> &mut Self {
        self.want(name, ask).go();
        self.run.enqueue_child(name, new_job(number, 2), self.now);
        self
    }

    /// The store answers a commit, its children being these jobs.
    fn born(&mut self, children: Vec<JobId>, inbox: Vec<InboxContent>) {
        let applied = Applied {
            children,
            nudge: (!inbox.is_empty()).then(|| nudge(inbox)),
        };
        self.run.committed(applied, self.now);
    }

    fn hears(&mut self, inbox: Vec<InboxContent>) {
        self.run.news(Some(nudge(inbox)), self.now);
    }
}

fn nudge(inbox: Vec<InboxContent>) -> Nudge {
    let items = (1..).zip(inbox);
    Nudge {
        count: 1,
        inbox: items
            .map(|(seq, content)| InboxItem { seq, content })
            .collect(),
    }
}

fn end_of(number: u128) -> InboxContent {
    InboxContent::Child {
        job: id(number),
        outcome: done(),
    }
}

fn ids(commit: &Commit) -> Vec<JobId> {
    commit.children.iter().map(|child| child.spec.id).collect()
}

const PARKED: Next = Next::Park { wake_at: None };

#[test]
fn a_child_and_its_record_go_with_the_commit_that_parks() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1);
    assert_eq!(lease.go(), PARKED);
    let commit = lease.run.settle(Settle::Suspend { wake_at: None });
    assert_eq!(ids(&commit), [id(1)]);
    assert_eq!(commit.records[0].child, Some(id(1)));
    let parent = commit.children[0].spec.parent.clone().unwrap();
    assert_eq!((parent.job, parent.step.as_str()), (commit.job, "ship"));
}

#[test]
fn many_children_go_in_commits_of_bounded_size_each_with_its_record() {
    for (bytes, most) in [
        (2, COMMIT_LIMIT_CHILDREN),
        (COMMIT_LIMIT_CHILD_BYTES / 3, 3),
        (COMMIT_LIMIT_CHILD_BYTES * 2, 1),
    ] {
        let all = 3 * most + 1;
        let mut lease = Lease::new(&[]);
        let names: Vec<String> = (0..all).map(|k| format!("ship:{k:04}")).collect();
        let names: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
        for name in &names {
            lease.want(name, child());
        }
        lease.go();
        for (number, name) in (0..).zip(&names) {
            let job = new_job(number, bytes);
            lease.run.enqueue_child(name, job, lease.now);
        }
        let mut sent = Vec::new();
        while lease.go() == Next::Commit {
            let commit = lease.run.take_commit().unwrap();
            assert_eq!(commit.children.len(), most);
            assert_eq!(commit.records.len(), most);
            sent.extend(ids(&commit));
            lease.born(ids(&commit), Vec::new());
        }
        assert_eq!(lease.go(), PARKED);
        let last = lease.run.settle(Settle::Suspend { wake_at: None });
        assert_eq!((last.children.len(), last.records.len()), (1, 1));
        sent.extend(ids(&last));
        let expected: Vec<JobId> = (0..all as u128).map(id).collect();
        assert_eq!(sent, expected, "in order of asking");
    }
}

#[test]
fn the_end_of_a_child_is_delivered_to_its_step() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1).bear("bill", child(), 2).go();
    let commit = lease.run.take_commit().unwrap();
    lease.born(ids(&commit), vec![end_of(2)]);
    assert_eq!(lease.go(), PARKED);
    assert_eq!(lease.seen, ["start ship", "start bill", "bill done"]);
    lease.hears(vec![end_of(2), end_of(1)]);
    lease.go();
    assert_eq!(lease.seen[3..], ["ship done"], "and nothing twice");
}

#[test]
fn a_joined_job_is_waited_for_under_its_own_id() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1).go();
    lease.run.take_commit().unwrap();
    lease.born(vec![id(9)], Vec::new());
    lease.hears(vec![end_of(9)]);
    lease.go();
    assert_eq!(lease.seen[1..], ["ship done"]);
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(commit.records[0].child, Some(id(9)));
}

#[test]
fn the_child_in_the_journal_is_the_child() {
    let pending = StepRecord {
        child: Some(id(9)),
        fingerprint: 7,
        ..StepRecord::pending("ship", RecordKind::Child, NOW)
    };
    let mut lease = Lease::new(&[pending]);
    lease.want("ship", child());
    assert_eq!(lease.go(), PARKED);
    assert!(lease.seen.is_empty(), "no request is made");
    lease.hears(vec![end_of(9)]);
    lease.go();
    assert_eq!(lease.seen, ["ship done"]);
}

#[test]
fn two_steps_that_joined_one_job_both_hear_of_it() {
    let mut lease = Lease::new(&[]);
    lease.bear("one", child(), 1).bear("two", child(), 2).go();
    lease.run.take_commit().unwrap();
    lease.born(vec![id(9), id(9)], vec![end_of(9)]);
    lease.go();
    assert_eq!(lease.seen[2..], ["one done", "two done"]);
}

#[test]
fn the_end_of_a_job_before_it_was_revived_and_joined_again_does_not_count() {
    let mut lease = Lease::new(&[]);
    lease.bear("one", child(), 1).go();
    lease.run.take_commit().unwrap();
    lease.born(vec![id(9)], vec![end_of(9)]);
    lease.go();
    assert_eq!(lease.seen[1..], ["one done"]);
    lease.bear("two", child(), 2).go();
    lease.run.take_commit().unwrap();
    lease.born(vec![id(9)], Vec::new());
    assert_eq!(lease.go(), PARKED);
    assert_eq!(lease.seen[2..], ["start two"]);
    lease.hears(vec![end_of(9)]);
    lease.go();
    assert_eq!(lease.seen[3..], ["two done"]);
}

#[test]
fn a_detached_child_is_stored_before_the_run_parks() {
    let mut lease = Lease::new(&[]);
    lease.bear("notify", detached(), 1);
    lease.want("nap", sleep());
    assert_eq!(lease.go(), Next::Commit);
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(commit.children[0].spec.parent, None);
    let stored = InboxContent::Detached {
        job: id(1),
        outcome: done(),
    };
    lease.born(vec![id(9)], vec![stored]);
    lease.go();
    assert_eq!(lease.seen[1..], ["notify done"]);
}

#[test]
fn the_end_of_a_job_is_not_taken_for_the_storing_of_a_detached_one() {
    let mut lease = Lease::new(&[]);
    lease.bear("notify", detached(), 1).go();
    lease.run.take_commit().unwrap();
    lease.born(vec![id(1)], vec![end_of(1)]);
    lease.go();
    assert_eq!(lease.seen, ["start notify"]);
}

#[test]
fn a_refused_park_gives_its_children_back_in_order() {
    let mut lease = Lease::new(&[]);
    lease.bear("one", child(), 1).bear("two", child(), 2);
    assert_eq!(lease.go(), PARKED);
    let commit = lease.run.settle(Settle::Suspend { wake_at: None });
    lease.run.refused(commit, nudge(Vec::new()), NOW);
    assert_eq!(lease.go(), PARKED);
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(ids(&commit), [id(1), id(2)]);
    assert_eq!(commit.records.len(), 2);
}

#[test]
fn a_child_that_is_dropped_before_it_was_sent_leaves_nothing() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1).want("nap", sleep()).go();
    lease.drop_step("ship");
    lease.go();
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(names(&commit.records), ["nap"]);
    assert!(commit.children.is_empty() && commit.removed.is_empty());
}

#[test]
fn a_child_that_is_dropped_after_it_was_sent_is_no_longer_waited_for() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1).want("nap", sleep()).go();
    let commit = lease.run.take_commit().unwrap();
    lease.born(ids(&commit), Vec::new());
    lease.drop_step("ship");
    lease.hears(vec![end_of(1)]);
    lease.go();
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(commit.removed, ["ship"]);
    assert!(commit.records.is_empty());
}

#[test]
fn a_lease_that_ends_otherwise_enqueues_nothing_that_was_only_asked_for() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1);
    lease.run.close();
    let commit = lease.run.settle(Settle::HandBack);
    assert!(commit.children.is_empty() && commit.records.is_empty());
}

#[test]
fn a_child_that_was_sent_is_waited_for_in_the_next_attempt() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1).go();
    let commit = lease.run.take_commit().unwrap();
    let journal = stored(&[], &commit);
    lease.born(ids(&commit), Vec::new());
    lease.run.begin_poll();
    lease.drop_step("ship");
    let commit = lease.end_with(None);
    assert!(commit.removed.is_empty());
    assert_eq!(stored(&journal, &commit)[0].child, Some(id(1)));
}

#[test]
fn a_failed_child_whose_error_left_the_body_is_asked_for_anew() {
    let mut lease = Lease::new(&[]);
    lease.bear("ship", child(), 1).go();
    let commit = lease.run.take_commit().unwrap();
    let failed = InboxContent::Child {
        job: id(1),
        outcome: failed(),
    };
    lease.born(ids(&commit), vec![failed]);
    lease.go();
    let commit = lease.end_with(Some("ship"));
    assert!(is_retry(&commit));
    let journal = stored(&[], &commit);
    assert_eq!((journal[0].child, journal[0].attempts), (None, 1));
    let mut lease = Lease::new(&journal);
    lease.bear("ship", child(), 2).go();
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(ids(&commit), [id(2)]);
    assert_eq!(commit.records[0].attempts, 2);
}

#[test]
fn a_child_that_cannot_be_asked_for_fails_its_step() {
    let mut lease = Lease::new(&[]);
    lease.want("ship", child()).go();
    lease.run.refuse_child("ship", boom(), NOW);
    lease.go();
    assert_eq!(lease.seen, ["start ship", "ship failed"]);
    assert!(lease.run.take_commit().unwrap().children.is_empty());
}

#[test]
fn a_waited_for_child_that_the_code_now_detaches_is_a_mismatch() {
    for (before, after) in [(child(), detached()), (detached(), child())] {
        let mut lease = Lease::new(&[]);
        lease.bear("ship", before, 1).go();
        let journal = stored(&[], &lease.run.take_commit().unwrap());
        let mut lease = Lease::new(&journal);
        lease.want("ship", after);
        assert_eq!(lease.go(), Next::Broken);
    }
}

#[test]
fn a_child_belongs_to_its_record_also_under_a_former_name() {
    let pending = StepRecord::pending("send", RecordKind::Child, NOW);
    let mut lease = Lease::new(&[pending]);
    lease.run.adopt("ship", ["send"]);
    lease.bear("ship", child(), 1).go();
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(names(&commit.records), ["send"]);
    let parent = commit.children[0].spec.parent.clone();
    assert_eq!(parent.unwrap().step, "send");
    lease.born(vec![id(9)], vec![end_of(9)]);
    lease.go();
    assert_eq!(lease.seen[1..], ["ship done"]);
}

#[test]
fn careful_mode_stores_the_end_of_a_child_before_it_is_given_out() {
    let mut lease = Lease::careful(&[]);
    lease.bear("ship", child(), 1).go();
    let commit = lease.run.take_commit().unwrap();
    lease.born(ids(&commit), vec![end_of(1)]);
    assert_eq!(lease.go(), Next::Commit);
    assert_eq!(lease.seen, ["start ship"]);
    lease.go_durably();
    assert_eq!(lease.seen[1..], ["stored ship", "ship done"]);
}
