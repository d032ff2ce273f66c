//! Reads for people: single rows, and pages that show each row once.

use super::shapes::{JobShape, boom};
use super::{Result, Subject};
use crate::contract::JobFilter;
use crate::core::{JobId, Millis, NewJob, State};
use std::collections::BTreeSet;

case!(what_is_not_there_is_not_found);
async fn what_is_not_there_is_not_found(s: Subject) -> Result {
    let unknown = s.job("mail").spec;
    let inspect = s.inspect();
    check!(inspect.job(unknown.id).await?.is_none());
    check!(inspect.view(unknown.id).await?.is_none());
    check!(inspect.job_of_run(unknown.run_id).await?.is_none());
    let page = inspect.list(&JobFilter::default(), None, 10).await?;
    check!(page.jobs.is_empty() && page.next.is_none());
    check!(inspect.live_names().await?.is_empty());
    check!(inspect.workers().await?.is_empty());
    check!(inspect.events(None, 0, 10).await?.is_empty());
    Ok(())
}

case!(a_job_is_found_by_its_run_in_every_place);
async fn a_job_is_found_by_its_run_in_every_place(s: Subject) -> Result {
    let job = s.job("mail").attempts(1);
    s.enqueue(&job).await?;
    let found = || s.inspect().job_of_run(job.spec.run_id);
    check_eq!(found().await?, Some(job.spec.id), "live");
    let mut holder = s.claim_one().await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    check_eq!(found().await?, Some(job.spec.id), "dead");
    s.requeue(job.spec.id, &[]).await?;
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    check_eq!(found().await?, Some(job.spec.id), "done");
    Ok(())
}

case!(q34_pages_show_jobs_of_one_instant_once_each);
async fn q34_pages_show_jobs_of_one_instant_once_each(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..500).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    let mut expected: Vec<JobId> = jobs.iter().map(|job| job.spec.id).collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    for size in [25, 37, 499, 500] {
        check_eq!(pages(&s, size).await?, expected, "pages of {size}");
    }
    Ok(())
}

case!(pages_go_across_live_ended_and_dead_jobs);
async fn pages_go_across_live_ended_and_dead_jobs(s: Subject) -> Result {
    let mut expected = Vec::new();
    for n in 0..30 {
        s.advance(Millis(1));
        let job = s.job("mail").attempts(1);
        expected.push(job.spec.id);
        let mut holder = s.start(&job).await?;
        match n % 3 {
            0 => drop(s.apply(&holder.ack("1")).await?),
            1 => drop(s.apply(&holder.retry(Millis(1), boom())).await?),
            _ => {}
        }
    }
    expected.reverse();
    check_eq!(pages(&s, 7).await?, expected);
    Ok(())
}

case!(jobs_that_end_while_pages_are_turned_show_once);
async fn jobs_that_end_while_pages_are_turned_show_once(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..40).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    let mut holders = s.claim(40).await?;
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = s.inspect().list(&JobFilter::default(), after, 6).await?;
        seen.extend(page.jobs.iter().map(|job| job.spec.id));
        for _ in 0..4 {
            if let Some(mut holder) = holders.pop() {
                s.apply(&holder.ack("1")).await?;
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    check_eq!(seen.len(), 40);
    check_eq!(seen.into_iter().collect::<BTreeSet<_>>().len(), 40);
    Ok(())
}

case!(a_list_shows_only_what_its_filter_lets_through);
async fn a_list_shows_only_what_its_filter_lets_through(s: Subject) -> Result {
    let wanted = s.job("mail").queue("slow").tenant("acme").key("7");
    let others = [
        s.job("mail%").queue("slow_").tenant("acme ").key("77"),
        s.job("Mail").queue("Slow").tenant("Acme"),
        s.job("other"),
    ];
    s.enqueue(&wanted).await?;
    s.enqueue_all(&others).await?;
    let some = |text: &str| Some(text.to_owned());
    let none = JobFilter::default;
    let filters = [
        JobFilter {
            name: some("mail"),
            ..none()
        },
        JobFilter {
            queue: some("slow"),
            ..none()
        },
        JobFilter {
            tenant: some("acme"),
            ..none()
        },
        JobFilter {
            key: some("7"),
            ..none()
        },
        JobFilter {
            name: some("mail"),
            queue: some("slow"),
            tenant: some("acme"),
            key: some("7"),
            state: Some(State::Pending),
        },
    ];
    for filter in filters {
        let page = s.inspect().list(&filter, None, 10).await?;
        let ids: Vec<JobId> = page.jobs.iter().map(|job| job.spec.id).collect();
        check_eq!(ids, [wanted.spec.id], "{filter:?}");
        check!(page.next.is_none());
    }
    let nothing = JobFilter {
        name: some("mail"),
        state: Some(State::Dead),
        ..none()
    };
    check!(s.inspect().list(&nothing, None, 10).await?.jobs.is_empty());
    Ok(())
}

case!(a_list_by_state_finds_every_state);
async fn a_list_by_state_finds_every_state(s: Subject) -> Result {
    for state in State::ALL {
        let job = s.job(state.as_str()).attempts(1);
        s.enqueue(&job).await?;
        if state == State::Pending {
            s.cancel(job.spec.id).await?;
            continue;
        }
        let mut holder = s.claim_one().await?;
        match state {
            State::Pending | State::Running => {}
            State::Suspended => drop(s.apply(&holder.park(Vec::new(), None)).await?),
            State::Done => drop(s.apply(&holder.ack("1")).await?),
            State::Failed => {
                let error = boom();
                let settle = crate::core::Settle::Fail { error };
                s.apply(&holder.settle(settle)).await?;
            }
            State::Dead => drop(s.apply(&holder.retry(Millis(1), boom())).await?),
            State::Cancelled => drop(s.cancel(job.spec.id).await?),
        }
    }
    let pending = s.job("pending").delay(Millis(9));
    s.enqueue(&pending).await?;
    for state in State::ALL {
        let filter = JobFilter {
            name: Some(state.as_str().into()),
            state: Some(state),
            ..JobFilter::default()
        };
        let page = s.inspect().list(&filter, None, 10).await?;
        check_eq!(page.jobs.len(), 1, "{state}");
    }
    Ok(())
}

case!(live_names_are_listed_once_each);
async fn live_names_are_listed_once_each(s: Subject) -> Result {
    for name in ["mail", "bill", "mail", "gone"] {
        let holder = s.start(&s.job(name)).await?;
        if name == "gone" {
            s.cancel(holder.id()).await?;
        }
    }
    let mut names = s.inspect().live_names().await?;
    names.sort_unstable();
    check_eq!(names, ["bill", "mail"]);
    Ok(())
}

case!(workers_are_listed_by_the_leases_they_hold);
async fn workers_are_listed_by_the_leases_they_hold(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..5).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    let mut request = s.request(2);
    request.worker = "other".into();
    s.claims(&request).await?;
    let mut holders = s.claim(10).await?;
    if let Some(holder) = holders.first_mut() {
        s.apply(&holder.ack("1")).await?;
    }
    let mut workers: Vec<(String, u64)> = s
        .inspect()
        .workers()
        .await?
        .into_iter()
        .map(|worker| (worker.worker, worker.leases))
        .collect();
    workers.sort_unstable();
    let expected = [("other".to_owned(), 2), ("worker-1".to_owned(), 2)];
    check_eq!(workers, expected);
    Ok(())
}

async fn pages(s: &Subject, size: usize) -> Result<Vec<JobId>> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = s.inspect().list(&JobFilter::default(), after, size).await?;
        check!(page.jobs.len() <= size, "a page is never larger than asked");
        all.extend(page.jobs.iter().map(|job| job.spec.id));
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
        check!(!page.jobs.is_empty(), "an empty page has no next one");
    }
}
