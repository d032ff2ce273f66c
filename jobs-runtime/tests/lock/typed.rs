//! What a body tells of its steps: the type of each, whatever its form and wherever it stands, and
//! where it cannot be told.

use jobs_runtime::lock::{Lock, StepLock};
use jobs_runtime::prelude::*;
use std::borrow::Cow;

/// May do anything with its tokens, as far as `#[job]` can see.
macro_rules! unfamiliar {
    ($future:expr) => {
        $future
    };
}

async fn given<T>(value: T) -> Result<T> {
    Ok(value)
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "typed-paid", key = none)]
struct Paid {}

#[job(name = "typed.child", idempotency = none)]
async fn child(_id: u64) -> Result<Vec<u8>> {
    Ok(Vec::new())
}

#[steps]
async fn helper(text: &str, list: &mut Vec<u8>) -> Result<char> {
    list.push(step!("length", given(text.len())).await? as u8);
    Ok(step!("letter", given('a')).await?)
}

#[job(name = "typed.forms", idempotency = none)]
async fn forms(id: u64) -> Result<i16> {
    step!("future", given(id)).await?;
    step!("moved", move given(Some(id))).await?;
    step!("block", { Ok((id, true)) }).await?;
    step!("child", job = child(id)).await?;
    step!("left", job = child(id), detached).await?;
    step!("event", event = Paid).await?;
    step!("required", event = Paid, required).await?;
    step!("sleep", sleep = "1d").await;
    let mut list = Vec::new();
    step!("helper", steps = helper("text", &mut list)).await?;
    for each in 0..id {
        step!("loop:{each}", given(each as u8)).await?;
    }
    let later = |each: u64| step!("closure:{each}", given(Cow::Borrowed("later")));
    later(1).await?;
    let (a, b) = tokio::join!(
        step!("a", given("a".to_owned())),
        step!("b", given([1_i32; 2]))
    );
    let _ = (a?, b?);
    // What it gives is settled further down.
    let settled = step!("settled", given(Default::default())).await?;
    Ok(settled)
}

#[job(name = "typed.conditional", idempotency = none)]
async fn conditional(id: u64) -> Result<()> {
    #[cfg(not(test))]
    step!("left-out", given(id)).await?;
    #[cfg(test)]
    step!("left-in", given(id)).await?;
    match id {
        #[cfg(not(test))]
        7 => step!("left-out-arm", given(())).await?,
        #[cfg(test)]
        8 => step!("left-in-arm", given(())).await?,
        _ => step!("arm", given(())).await?,
    }
    #[cfg(not(test))]
    for each in 0..id {
        step!("left-out-loop:{each}", given(each)).await?;
    }
    #[cfg_attr(test, allow(unused_variables))]
    let unused = step!("perhaps", given(id)).await?;
    unfamiliar!(step!("in-macro", given(id))).await?;
    unfamiliar!(step!("in-macro-event", event = Paid)).await?;
    unfamiliar!(step!("in-macro-sleep", sleep = "1s")).await;
    Ok(())
}

#[steps]
async fn conditional_helper(#[cfg(test)] id: u64) -> Result<u64> {
    Ok(step!("given", given(id)).await?)
}

#[job(name = "typed.helped", idempotency = none)]
async fn helped(id: u64) -> Result<u64> {
    step!("helper", steps = conditional_helper(id)).await
}

fn step(job: &str, step: &str) -> StepLock {
    let lock = Lock::of_program().unwrap();
    lock.jobs[job].steps[step].clone()
}

#[track_caller]
fn gives(name: &str, output: &str) {
    let step = step("typed.forms", name);
    assert_eq!(step.output.as_deref(), Some(output), "{name}");
    assert_eq!(step.event, None, "{name}");
}

#[test]
fn a_body_tells_the_type_of_every_form_of_a_step() {
    gives("future", "u64");
    gives("moved", "core::option::Option<u64>");
    gives("block", "(u64, bool)");
    gives("child", "alloc::vec::Vec<u8>");
    gives("helper/length", "usize");
    gives("helper/letter", "char");
    gives("loop:{each}", "u8");
    gives("closure:{each}", "alloc::borrow::Cow<'_, str>");
    gives("a", "alloc::string::String");
    gives("b", "[i32; 2]");
    gives("settled", "i16");
}

#[test]
fn a_wait_tells_its_event() {
    for name in ["event", "required"] {
        let step = step("typed.forms", name);
        assert_eq!(step.event.as_deref(), Some("typed-paid"));
        assert_eq!(step.output, None);
    }
}

#[test]
fn a_step_that_stores_no_value_tells_none() {
    for name in ["sleep", "left"] {
        let step = step("typed.forms", name);
        assert_eq!((step.output, step.event), (None, None), "{name}");
    }
}

#[test]
fn a_step_under_a_condition_is_known_exactly_if_it_is_there() {
    let lock = Lock::of_program().unwrap();
    let steps = &lock.jobs["typed.conditional"].steps;
    for name in ["left-out", "left-out-arm", "left-out-loop:{each}"] {
        assert!(!steps.contains_key(name), "{name}");
    }
    for (name, output) in [("left-in", "u64"), ("left-in-arm", "()"), ("arm", "()")] {
        assert_eq!(steps[name].output.as_deref(), Some(output), "{name}");
    }
}

#[test]
fn a_step_that_rustc_may_not_see_is_not_known() {
    for name in ["perhaps", "in-macro"] {
        let step = step("typed.conditional", name);
        assert_eq!(step.output.as_deref(), Some("not known"), "{name}");
    }
    let helped = step("typed.helped", "helper/given");
    assert_eq!(helped.output.as_deref(), Some("not known"));
    let waiting = step("typed.conditional", "in-macro-event");
    assert_eq!(waiting.event.as_deref(), Some("not known"));
    let asleep = step("typed.conditional", "in-macro-sleep");
    assert_eq!((asleep.output, asleep.event), (None, None));
}
