//! Windows: enqueues of one key that come close together become few runs, and the last input is
//! never forgotten where it was asked for.

use super::holder::Holder;
use super::shapes::JobShape;
use super::{Failure, Result, Subject};
use crate::core::{Edge, JobId, Millis, NewJob, Settle, State, Window};

const SPAN: Millis = Millis::secs(10);
const DEBOUNCE: Window = Window::debounce(SPAN);
const THROTTLE: Window = Window::throttle(SPAN);

fn sync(s: &Subject, window: Window, input: &str) -> NewJob {
    let job = s.job("sync").key("7").input(input);
    job.shape(|job| job.window = Some(window))
}

async fn enqueue(s: &Subject, window: Window, input: &str) -> Result<JobId> {
    Ok(s.enqueue(&sync(s, window, input)).await?.id)
}

fn input(holder: &Holder) -> String {
    String::from_utf8_lossy(&holder.claimed.job.spec.input.bytes).into_owned()
}

/// Takes the one job that is ready, and ends it.
async fn run(s: &Subject) -> Result<String> {
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    Ok(input(&holder))
}

case!(a_debounced_job_runs_once_with_the_last_input_when_its_key_was_quiet);
async fn a_debounced_job_runs_once_with_the_last_input_when_its_key_was_quiet(
    s: Subject,
) -> Result {
    let first = enqueue(&s, DEBOUNCE, "1").await?;
    for input in ["2", "3"] {
        s.advance(Millis::secs(6));
        s.claim_nothing().await?;
        check_eq!(enqueue(&s, DEBOUNCE, input).await?, first);
    }
    s.advance(Millis(9_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "3");
    s.advance(Millis::secs(100));
    s.claim_nothing().await
}

case!(a_debounced_job_waits_no_longer_than_it_may);
async fn a_debounced_job_waits_no_longer_than_it_may(s: Subject) -> Result {
    let window = DEBOUNCE.at_most(Millis::secs(25));
    for n in 0..5 {
        enqueue(&s, window, &n.to_string()).await?;
        if n < 4 {
            s.advance(Millis::secs(6));
        }
    }
    s.advance(Millis(999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "4", "25 seconds after the first");
    Ok(())
}

case!(a_debounced_input_that_is_due_is_not_put_off_again);
async fn a_debounced_input_that_is_due_is_not_put_off_again(s: Subject) -> Result {
    enqueue(&s, DEBOUNCE, "1").await?;
    s.advance(SPAN);
    enqueue(&s, DEBOUNCE, "2").await?;
    check_eq!(run(&s).await?, "2", "no worker came for it in time");
    Ok(())
}

case!(an_input_that_comes_while_the_debounced_job_runs_is_debounced_behind_it);
async fn an_input_that_comes_while_the_debounced_job_runs_is_debounced_behind_it(
    s: Subject,
) -> Result {
    enqueue(&s, DEBOUNCE, "1").await?;
    s.advance(SPAN);
    let mut running = s.claim_one().await?;
    let next = enqueue(&s, DEBOUNCE, "2").await?;
    check!(next != running.id());
    s.advance(Millis::secs(5));
    check_eq!(enqueue(&s, DEBOUNCE, "3").await?, next);
    s.apply(&running.ack("1")).await?;
    s.advance(Millis(9_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "3");
    Ok(())
}

case!(a_debounce_on_its_leading_edge_runs_the_first_and_needs_quiet_before_the_next);
async fn a_debounce_on_its_leading_edge_runs_the_first_and_needs_quiet_before_the_next(
    s: Subject,
) -> Result {
    let window = DEBOUNCE.edge(Edge::Leading);
    let first = enqueue(&s, window, "1").await?;
    check_eq!(run(&s).await?, "1", "at once");
    for input in ["2", "3"] {
        s.advance(Millis::secs(9));
        check_eq!(enqueue(&s, window, input).await?, first, "it is not quiet");
    }
    s.advance(SPAN);
    enqueue(&s, window, "4").await?;
    check_eq!(run(&s).await?, "4");
    Ok(())
}

case!(a_debounce_on_both_edges_runs_the_first_and_the_last);
async fn a_debounce_on_both_edges_runs_the_first_and_the_last(s: Subject) -> Result {
    let window = DEBOUNCE.edge(Edge::Both);
    enqueue(&s, window, "1").await?;
    check_eq!(run(&s).await?, "1");
    s.advance(Millis::secs(5));
    enqueue(&s, window, "2").await?;
    s.advance(Millis::secs(5));
    enqueue(&s, window, "3").await?;
    s.advance(Millis(9_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "3");
    Ok(())
}

case!(a_throttled_key_starts_no_two_runs_within_its_span_and_the_last_input_runs);
async fn a_throttled_key_starts_no_two_runs_within_its_span_and_the_last_input_runs(
    s: Subject,
) -> Result {
    enqueue(&s, THROTTLE, "1").await?;
    check_eq!(run(&s).await?, "1", "at once");
    s.advance(Millis::secs(4));
    let next = enqueue(&s, THROTTLE, "2").await?;
    s.advance(Millis::secs(4));
    check_eq!(enqueue(&s, THROTTLE, "3").await?, next);
    s.advance(Millis(1_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "3", "ten seconds after the first");
    s.advance(Millis::secs(1));
    enqueue(&s, THROTTLE, "4").await?;
    s.advance(Millis(8_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "4", "and ten after the second");
    Ok(())
}

case!(a_throttled_run_that_took_long_is_followed_at_its_end_and_no_sooner_again);
async fn a_throttled_run_that_took_long_is_followed_at_its_end_and_no_sooner_again(
    s: Subject,
) -> Result {
    enqueue(&s, THROTTLE, "1").await?;
    let mut long = s.claim_one().await?;
    s.advance(Millis::secs(8));
    let follower = enqueue(&s, THROTTLE, "2").await?;
    s.advance(Millis::secs(20));
    s.apply(&long.ack("1")).await?;
    let mut second = s.claim_one().await?;
    check_eq!((second.id(), input(&second)), (follower, "2".to_owned()));
    s.apply(&second.ack("1")).await?;
    enqueue(&s, THROTTLE, "3").await?;
    s.advance(Millis(9_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(run(&s).await?, "3", "a span after the second began");
    Ok(())
}

case!(a_throttled_run_that_goes_on_leaves_its_follower_the_key_for_a_span);
async fn a_throttled_run_that_goes_on_leaves_its_follower_the_key_for_a_span(s: Subject) -> Result {
    enqueue(&s, THROTTLE, "1").await?;
    let mut first = s.claim_one().await?;
    enqueue(&s, THROTTLE, "2").await?;
    let run_id = first.claimed.job.spec.run_id;
    let next = s.job("sync").key("7").input("on");
    let next = Box::new(next.shape(|job| job.spec.continued_from = Some(run_id)));
    s.apply(&first.settle(Settle::Continue { next })).await?;
    s.advance(SPAN);
    check_eq!(run(&s).await?, "2");
    s.advance(SPAN);
    enqueue(&s, THROTTLE, "3").await?;
    check_eq!(run(&s).await?, "3");
    Ok(())
}

case!(a_throttle_on_its_leading_edge_drops_what_comes_within_its_span);
async fn a_throttle_on_its_leading_edge_drops_what_comes_within_its_span(s: Subject) -> Result {
    let window = THROTTLE.edge(Edge::Leading);
    let first = enqueue(&s, window, "1").await?;
    check_eq!(run(&s).await?, "1");
    s.advance(Millis(9_999));
    let within = s.enqueue(&sync(&s, window, "2")).await?;
    check_eq!(within.id, first);
    check!(within.deduped && within.input_differs);
    s.advance(Millis(1));
    enqueue(&s, window, "3").await?;
    check_eq!(run(&s).await?, "3");
    s.advance(Millis::secs(100));
    s.claim_nothing().await
}

case!(a_throttle_on_its_trailing_edge_runs_the_last_input_of_each_span);
async fn a_throttle_on_its_trailing_edge_runs_the_last_input_of_each_span(s: Subject) -> Result {
    let window = THROTTLE.edge(Edge::Trailing);
    enqueue(&s, window, "1").await?;
    s.advance(Millis::secs(9));
    enqueue(&s, window, "2").await?;
    s.claim_nothing().await?;
    s.advance(Millis::secs(1));
    check_eq!(run(&s).await?, "2");
    Ok(())
}

case!(an_enqueue_of_a_window_that_is_sent_again_makes_no_second_job);
async fn an_enqueue_of_a_window_that_is_sent_again_makes_no_second_job(s: Subject) -> Result {
    for window in [DEBOUNCE, THROTTLE] {
        let job = sync(&s, window, "1").key(if window == DEBOUNCE { "d" } else { "t" });
        let first = s.enqueue(&job).await?;
        s.advance(SPAN);
        let mut holder = s.claim_one().await?;
        check_eq!(s.enqueue(&job).await?.id, first.id);
        s.apply(&holder.ack("1")).await?;
        check_eq!(s.enqueue(&job).await?.id, first.id);
        s.advance(Millis::secs(100));
        s.claim_nothing().await?;
    }
    Ok(())
}

case!(a_window_that_is_cancelled_gives_its_key_back);
async fn a_window_that_is_cancelled_gives_its_key_back(s: Subject) -> Result {
    let first = enqueue(&s, DEBOUNCE, "1").await?;
    s.cancel(first).await?;
    let second = enqueue(&s, DEBOUNCE, "2").await?;
    check!(second != first);
    s.expect_state(second, State::Pending).await?;
    s.advance(SPAN);
    check_eq!(run(&s).await?, "2");
    Ok(())
}

case!(racing_enqueues_of_a_window_make_one_job);
async fn racing_enqueues_of_a_window_make_one_job(s: Subject) -> Result {
    let racing = (0..16).map(|n| {
        let (s, n) = (s.clone(), n);
        tokio::spawn(async move { enqueue(&s, DEBOUNCE, &n.to_string()).await })
    });
    let mut ids = std::collections::BTreeSet::new();
    for one in racing.collect::<Vec<_>>() {
        let id = one
            .await
            .map_err(|error| Failure::here(error.to_string()))?;
        ids.insert(id?);
    }
    check_eq!(ids.len(), 1);
    Ok(())
}

case!(an_expiry_is_reckoned_by_the_clock_of_the_store);
async fn an_expiry_is_reckoned_by_the_clock_of_the_store(s: Subject) -> Result {
    let late = s.job("mail").shape(|job| {
        // What a client thinks whose clock is an hour behind.
        job.spec.expires_at = Some(s.now().before(Millis::secs(3600)));
        job.expires = Some(Millis::secs(5));
    });
    s.enqueue(&late).await?;
    let stored = s.row(late.spec.id).await?;
    check_eq!(stored.spec.expires_at, Some(s.now().after(Millis::secs(5))));
    s.advance(Millis(4_999));
    let mut holder = s.claim_one().await?;
    s.apply(&holder.settle(Settle::HandBack)).await?;
    s.advance(Millis::secs(5));
    check_eq!(s.claim_one().await?.id(), late.spec.id, "it has begun");
    Ok(())
}
