//! Enqueue: what is asked for is stored whole, once, or refused by name.

use super::shapes::{DAY, JobShape};
use super::{Failure, Result, Subject};
use crate::contract::{Conflicted, EnqueueAnswer, MAX_NAME_BYTES};
use crate::core::{
    JobId, MAX_KEY_BYTES, Millis, NewJob, Parent, Payload, Priority, RunId, State, TickRef,
    Timestamp, Visible,
};

case!(a_new_job_comes_back_with_every_field);
async fn a_new_job_comes_back_with_every_field(s: Subject) -> Result {
    let job = s.job("mail").shape(|job| {
        let spec = &mut job.spec;
        spec.scope = "post".into();
        spec.queue = "slow".into();
        spec.key = Some("mail:7".into());
        spec.input = Payload {
            codec: 3,
            bytes: vec![0, 159, 146, 150],
        };
        spec.priority = Priority::new(2);
        spec.tenant = Some("acme".into());
        spec.visibility_timeout = Some(Millis(1234));
        spec.expires_at = Some(s.now().after(DAY));
        spec.limit_key = Some("limit".into());
        spec.rate_key = Some("rate".into());
        spec.parent = Some(Parent {
            job: JobId::new(s.now(), 1),
            run: RunId::new(s.now(), 2),
            step: "child".into(),
        });
        spec.tick = Some(TickRef {
            schedule: "daily".into(),
            tick: s.now(),
        });
        spec.trace_context = Some("00-1-2-01".into());
        spec.labels.insert("region".into(), "eu".into());
        spec.version = 9;
        spec.fork_of = Some(RunId::new(s.now(), 3));
        spec.continued_from = Some(RunId::new(s.now(), 4));
        job.attempts_max = 7;
    });
    s.enqueue(&job).await?;
    let stored = s.row(job.spec.id).await?;
    check_eq!(stored.spec, job.spec);
    check_eq!(stored.spec.input.bytes, job.spec.input.bytes);
    check_eq!(stored.head.attempts_max, 7);
    check_eq!(stored.head.attempt, 1);
    check_eq!(stored.head.state, State::Pending);
    check_eq!(stored.head.enqueued_at, s.now());
    check_eq!(stored.head.visible_at, Some(s.now()));
    let claimed = s.claim_one().await?;
    check_eq!(claimed.claimed.job.spec, job.spec, "a claim brings it too");
    Ok(())
}

case!(the_same_id_again_is_the_same_job);
async fn the_same_id_again_is_the_same_job(s: Subject) -> Result {
    let job = s.job("mail").key("7");
    let first = s.enqueue(&job).await?;
    let again = s.enqueue(&job).await?;
    check_eq!(again, first);
    check!(!again.deduped, "it is its own job, not another's");
    check_eq!(s.stats_of("default").await?.ready, 1);
    Ok(())
}

case!(the_same_id_again_is_the_same_job_after_its_end);
async fn the_same_id_again_is_the_same_job_after_its_end(s: Subject) -> Result {
    let done = s.job("mail").key("7");
    let mut holder = s.start(&done).await?;
    s.apply(&holder.ack("1")).await?;
    let dead = s.job("mail").key("8").attempts(1);
    let mut holder = s.start(&dead).await?;
    s.apply(&holder.retry(Millis(1), super::shapes::boom()))
        .await?;
    for (job, state) in [(done, State::Done), (dead, State::Dead)] {
        let again = s.enqueue(&job).await?;
        check_eq!(again.id, job.spec.id);
        check!(!again.deduped);
        s.expect_state(job.spec.id, state).await?;
    }
    s.claim_nothing().await
}

case!(the_same_id_twice_in_one_batch_is_one_job);
async fn the_same_id_twice_in_one_batch_is_one_job(s: Subject) -> Result {
    let job = s.job("mail");
    for answer in s.enqueue_all(&[job.clone(), job.clone()]).await? {
        check_eq!(answer?.id, job.spec.id);
    }
    s.claim_one().await?;
    Ok(())
}

case!(a_batch_is_answered_item_by_item_in_order);
async fn a_batch_is_answered_item_by_item_in_order(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..100).map(|_| s.job("mail")).collect();
    let answers = s.enqueue_all(&jobs).await?;
    for (job, answer) in jobs.iter().zip(answers) {
        let enqueued = answer?;
        check_eq!(enqueued.id, job.spec.id);
        check_eq!(enqueued.run_id, job.spec.run_id);
    }
    Ok(())
}

case!(an_empty_batch_is_answered_with_nothing);
async fn an_empty_batch_is_answered_with_nothing(s: Subject) -> Result {
    check!(s.enqueue_all(&[]).await?.is_empty());
    check!(s.commit_all(&[]).await?.is_empty());
    check!(s.driver().heartbeat(&[], None).await?.is_empty());
    check!(s.driver().publish(&[], None).await?.is_empty());
    Ok(())
}

case!(one_bad_item_does_not_take_the_batch_with_it);
async fn one_bad_item_does_not_take_the_batch_with_it(s: Subject) -> Result {
    let jobs = [s.job("mail"), s.job(""), s.job("mail")];
    let answers = s.enqueue_all(&jobs).await?;
    check!(answers[0].is_ok() && answers[1].is_err() && answers[2].is_ok());
    check_eq!(s.claim(10).await?.len(), 2);
    Ok(())
}

case!(b46_an_input_over_the_limit_is_refused_and_one_at_the_limit_is_stored);
async fn b46_an_input_over_the_limit_is_refused_and_one_at_the_limit_is_stored(
    s: Subject,
) -> Result {
    let limit = s.driver().capabilities().payload_limit;
    let over = s.job("mail").key("7").input(vec![b'x'; limit + 1]);
    expect_refused(s.try_enqueue(&over).await?, "X_PAYLOAD_TOO_LARGE")?;
    check!(s.inspect().job(over.spec.id).await?.is_none());
    let at = s.job("mail").key("7").input(vec![b'x'; limit]);
    let stored = s.enqueue(&at).await?;
    check!(!stored.deduped, "what was refused holds no key");
    check_eq!(s.row(at.spec.id).await?.spec.input.bytes.len(), limit);
    Ok(())
}

case!(empty_names_are_refused);
async fn empty_names_are_refused(s: Subject) -> Result {
    let bad = [
        s.job(""),
        s.job("mail").queue(""),
        s.job("mail").shape(|job| job.spec.scope.clear()),
        s.job("mail").tenant(""),
    ];
    for job in bad {
        expect_refused(s.try_enqueue(&job).await?, "X_NAME_INVALID")?;
    }
    Ok(())
}

case!(an_empty_key_is_refused);
async fn an_empty_key_is_refused(s: Subject) -> Result {
    let job = s.job("mail").key("");
    expect_refused(s.try_enqueue(&job).await?, "X_IDEMPOTENCY_REQUIRED")?;
    s.claim_nothing().await
}

case!(names_and_keys_over_their_limits_are_refused_and_those_at_them_are_stored);
async fn names_and_keys_over_their_limits_are_refused_and_those_at_them_are_stored(
    s: Subject,
) -> Result {
    let long = |bytes: usize| "n".repeat(bytes);
    let job = s.job("mail").key(&long(MAX_KEY_BYTES));
    s.enqueue(&job).await?;
    check_eq!(s.row(job.spec.id).await?.spec.key, job.spec.key);
    s.enqueue(&s.job(&long(MAX_NAME_BYTES))).await?;
    let bad = [
        s.job("mail").key(&long(MAX_KEY_BYTES + 1)),
        s.job(&long(MAX_NAME_BYTES + 1)),
        s.job("mail").queue(&long(MAX_NAME_BYTES + 1)),
    ];
    for job in bad {
        expect_refused(s.try_enqueue(&job).await?, "X_NAME_INVALID")?;
    }
    Ok(())
}

case!(b19_a_delayed_job_never_starts_early);
async fn b19_a_delayed_job_never_starts_early(s: Subject) -> Result {
    s.enqueue(&s.job("mail").delay(Millis(3000))).await?;
    s.claim_nothing().await?;
    s.advance(Millis(2999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    s.claim_one().await?;
    Ok(())
}

case!(a_job_for_an_instant_starts_at_that_instant);
async fn a_job_for_an_instant_starts_at_that_instant(s: Subject) -> Result {
    let at = s.now().after(Millis(5000));
    let job = s.job("mail").shape(|job| job.visible = Visible::At(at));
    s.enqueue(&job).await?;
    s.advance(Millis(4999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    s.claim_one().await?;
    Ok(())
}

case!(an_instant_long_past_is_visible_at_once);
async fn an_instant_long_past_is_visible_at_once(s: Subject) -> Result {
    let job = s
        .job("mail")
        .shape(|job| job.visible = Visible::At(Timestamp(1)));
    s.start(&job).await?;
    Ok(())
}

case!(b38_a_delay_of_three_years_is_listed_with_its_time);
async fn b38_a_delay_of_three_years_is_listed_with_its_time(s: Subject) -> Result {
    let span = Millis::secs(99_999_999);
    let job = s.job("mail").delay(span);
    s.enqueue(&job).await?;
    let due = s.now().after(span);
    check_eq!(s.row(job.spec.id).await?.head.visible_at, Some(due));
    s.advance_to(Timestamp(due.0 - 1));
    s.claim_nothing().await?;
    s.advance_to(due);
    s.claim_one().await?;
    Ok(())
}

case!(a_delay_beyond_the_end_of_time_is_kept_as_never);
async fn a_delay_beyond_the_end_of_time_is_kept_as_never(s: Subject) -> Result {
    let job = s.job("mail").delay(Millis(u64::MAX));
    s.enqueue(&job).await?;
    s.advance(Millis::secs(1_000_000_000));
    s.claim_nothing().await?;
    check_eq!(s.stats_of("default").await?.delayed, 1);
    Ok(())
}

case!(q36_every_byte_of_an_input_comes_back);
async fn q36_every_byte_of_an_input_comes_back(s: Subject) -> Result {
    let all: Vec<u8> = (0..=255).collect();
    let inputs: [&[u8]; 4] = [b"9007199254740993", b"", b"null", &all];
    for input in inputs {
        let job = s.job("mail").input(input);
        let holder = s.start(&job).await?;
        check_eq!(holder.claimed.job.spec.input.bytes, input.to_vec());
        check_eq!(s.row(job.spec.id).await?.spec.input, job.spec.input);
    }
    Ok(())
}

case!(a_store_without_a_given_time_uses_its_own_clock);
async fn a_store_without_a_given_time_uses_its_own_clock(s: Subject) -> Result {
    let job = s.job("mail");
    for answer in s.driver().enqueue(std::slice::from_ref(&job), None).await? {
        answer?;
    }
    let enqueued_at = s.row(job.spec.id).await?.head.enqueued_at;
    let mut request = s.request(1);
    request.now = None;
    let claims = s.claims(&request).await?;
    check_eq!(claims.jobs.len(), 1);
    check!(claims.now >= enqueued_at, "its clock does not go back");
    let end = claims.jobs[0].job.head.visible_at;
    check_eq!(end, Some(claims.now.after(request.visibility_timeout)));
    Ok(())
}

fn expect_refused(answer: EnqueueAnswer, code: &str) -> Result {
    match answer {
        Err(Conflicted::Refused(error)) => {
            check_eq!(error.code(), code);
            check!(!error.fix().is_empty(), "it says what to do");
            Ok(())
        }
        other => Err(Failure::here(format!("not refused: {other:?}"))),
    }
}
