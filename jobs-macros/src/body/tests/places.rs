//! Where steps may stand, and what may stand beside them in a body.

use super::*;

#[test]
fn a_step_holds_no_other() {
    refused(
        quote!(step!("outer", async { step!("inner", one()).await }).await?;),
        "a step in a step",
    );
}

#[test]
fn steps_stay_in_the_body_of_the_job() {
    refused(
        quote!(
            async fn f() {
                step!("a", one()).await
            }
        ),
        "item of its own",
    );
    refused(
        quote!(
            macro_rules! m {
                () => {
                    step!("a", one())
                };
            }
        ),
        "macro_rules",
    );
    refused(
        quote!(tokio::spawn(async move { step!("a", one()).await });),
        "a step in `spawn`",
    );
    refused(
        quote!(set.spawn_on(async move { step!("a", one()).await }, here);),
        "a step in `spawn_on`",
    );
}

#[test]
fn a_random_select_is_refused() {
    refused(
        quote!(tokio::select! { a = step!("a", one()) => {} }),
        "biased;",
    );
    refused(
        quote!(futures::select! { a = step!("a", one()) => {} }),
        "select_biased!",
    );
}

#[test]
fn a_raw_await_is_refused_wherever_it_hides() {
    for body in [
        quote!(work().await?;),
        quote!(async { work().await };),
        quote!(let f = || async { work().await };),
        quote!(println!("{}", work().await);),
        quote!(async { work().await }.await;),
        quote!(let f = async { work().await }; f.await;),
        quote!(join_all(y.map(|x| async move { work(x).await })).await;),
        quote!(tokio::time::timeout(d, async { 1 }).await?;),
        quote!(let f = step!("a", one()); let f = f.await?; work(&f).await?;),
        quote!(let f = step!("a", one()).await?; { f.save().await?; }),
        quote!(step!("a", sleep = length().await).await;),
        quote!(let a = step!("a", one()).await?; work(&a).await?;),
        quote!(work(step!("a", one()).await?).await?;),
        quote!(tokio::join!(step!("a", one()), work());),
        quote!(if let Some(x) = step!("a", one()).await? {
            x.save().await?;
        }),
    ] {
        refused(body, "awaited outside a step");
    }
}

#[test]
fn a_timer_outside_a_step_is_answered_with_a_sleep() {
    for body in [
        quote!(tokio::join!(step!("a", one()), tokio::time::sleep(d));),
        quote!(tokio::select! { biased; a = step!("a", one()) => {} _ = sleep_until(d) => {} }),
    ] {
        refused(body, "starts anew on every replay, and holds its worker");
    }
}

#[test]
fn what_is_started_beside_the_run_is_refused_once() {
    for body in [
        quote!(tokio::spawn(one());),
        quote!(tokio::spawn(async { one().await }).await?;),
        quote!(std::thread::spawn(|| one());),
        quote!(tokio::task::spawn_blocking(one).await?;),
    ] {
        refused(body, "outside a step: a replay would start this again");
    }
    accepted(quote!(step!("a", async { tokio::spawn(one()).await? }).await?;));
    accepted(quote!(spawn(one()); pool.spawn(one());));
}

#[test]
fn what_is_built_from_steps_may_be_awaited() {
    for body in [
        quote!(let f = step!("a", one()); f.await?;),
        quote!(let mut v = vec![]; for x in y { v.push(step!("a:{x}", one())); } join_all(v).await;),
        quote!(let f = y.iter().map(|x| step!("a:{x}", one())); join_all(f).await;),
        quote!(join_all(y.iter().map(|x| step!("a:{x}", one()))).await;),
        quote!(let mut f: FuturesUnordered<_> = y.map(|x| async move { step!("a:{x}", one()).await }).collect(); while let Some(r) = f.next().await { r?; }),
        quote!(let f = step!("a", one()); let (r, rest) = select(f, step!("b", two())).await; rest.await;),
        quote!(let f = async || step!("a:{x}", one()).await; f().await?;),
        quote!(let f; if x { f = boxed(step!("a", one())); } else { f = boxed(step!("b", one())); } f.await?;),
        quote!(let g = async { step!("a", one()).await }; Box::pin(g).await?;),
        quote!(let v = [step!("a", one())]; for f in v { f.await?; }),
        quote!(let v = vec![step!("a", one())]; join_all(v.into_iter().map(|f| async move { f.await })).await;),
        quote!(step!("a", async { one().await?; two().await }).await?;),
        quote!(let f = step!("a", one()); { let f = 5; } f.await?;),
        quote!(let f = async { 5 }; f.await;),
        quote!(
            async fn helper() {
                one().await
            }
        ),
    ] {
        accepted(body);
    }
}

#[test]
fn raw_awaits_can_be_allowed() {
    let (_, texts) = read(
        quote!(work().await?; timeout(d, step!("a", one())).await;),
        true,
    );
    assert_eq!(texts, Vec::<String>::new());
}

#[test]
fn a_timeout_around_a_step_is_refused() {
    refused(
        quote!(tokio::time::timeout(d, step!("a", one())).await?;),
        "not durable",
    );
    refused(
        quote!(let f = step!("a", one()); timeout(d, f).await?;),
        "not durable",
    );
}

#[test]
fn unstable_calls_are_warned_of() {
    let (marked, texts) = read(
        quote!(let a = Utc::now(); let b = uuid::Uuid::new_v4(); let c = rand::random::<u8>(); let d = std::env::var("x"); let e = now(); step!("f", at(Utc::now())).await?;),
        false,
    );
    assert_eq!(texts, Vec::<String>::new());
    assert_eq!(marked.warnings.len(), 4);
}
