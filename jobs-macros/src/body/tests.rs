//! Tests of the marking of bodies: what is refused, in which words, and what is let through.

use super::*;
use crate::errors::texts_in;
use crate::job::parse_item;
use quote::quote;

fn read(body: TokenStream, raw_await: bool) -> (Marked, Vec<String>) {
    let job = parse_item(quote!(async fn welcome(input: Signup) -> Result<()> { #body }))
        .expect("the head of the job parses");
    let policy = Policy {
        krate: quote!(::jobs_runtime),
        allowed: crate::job::Allowed {
            raw_await,
            ..Default::default()
        },
        owner: "job",
        described: true,
        helper: None,
    };
    let mut errors = Errors::default();
    let marked = mark(&job, &policy, &mut errors);
    (marked, errors.texts())
}

/// Errors in the list, and those that stand in for a step.
fn refusals(body: TokenStream) -> Vec<String> {
    let (marked, mut texts) = read(body, false);
    texts.extend(texts_in(marked.tokens));
    texts
}

#[track_caller]
fn accepted(body: TokenStream) {
    assert_eq!(refusals(body), Vec::<String>::new());
}

#[track_caller]
fn refused(body: TokenStream, part: &str) {
    let shown = body.to_string();
    let texts = refusals(body);
    assert_eq!(
        texts.len(),
        1,
        "one mistake, one error: {shown}\n{texts:#?}"
    );
    assert!(texts[0].contains(part), "{texts:#?}");
}

fn names(body: TokenStream) -> Vec<(String, &'static str, bool)> {
    let (marked, texts) = read(body, false);
    assert_eq!(texts, Vec::<String>::new());
    marked
        .steps
        .into_iter()
        .map(|site| (site.name, site.kind, site.in_loop))
        .collect()
}

#[test]
fn every_form_is_marked_and_listed() {
    let body = quote! {
        step!("a", work(&input)).await?;
        step!("b", { work(&input).await?; Ok(1) }).await?;
        step!("c", move work(owned)).await?;
        step!("d", attempts = 3, backoff = "1s..1m", timeout = "30s", work(&input)).await?;
        for item in &input.items { step!("e:{item.id}", charge(item)).await?; }
        step!("f", sleep = "3d").await;
        step!(sleep = "2h").await;
        step!("g", sleep_until = input.due_at).await;
        step!("h", event = Paid, key = input.id, timeout = "14d", required, since = step).await?;
        step!("i", job = ship(parcel)).await?;
        step!("j", job = move ship(parcel), detached).await?;
        for item in &input.items { step!("k:{item.id}", job = ship(item.id), detached).await?; }
        Ok(())
    };
    let expected = [
        ("a", "Step", false),
        ("b", "Step", false),
        ("c", "Step", false),
        ("d", "Step", false),
        ("e:{item.id}", "Step", true),
        ("f", "Sleep", false),
        ("sleep:2h", "Sleep", false),
        ("g", "Sleep", false),
        ("h", "Event", false),
        ("i", "Child", false),
        ("j", "Child", false),
        ("k:{item.id}", "Child", true),
    ];
    let expected = expected.map(|(name, kind, in_loop)| (name.to_owned(), kind, in_loop));
    assert_eq!(names(body), expected);
}

#[test]
fn a_request_for_a_child_is_made_without_waiting_and_in_no_step() {
    accepted(quote!(step!("a", job = ship(async { pack().await })).await?;));
    accepted(quote!(step!("a", job = ship(|| async move { pack().await })).await?;));
    refused(
        quote!(step!("a", job = ship(pack().await)).await?;),
        "made without waiting",
    );
    refused(
        quote!(step!("a", job = ship(step!("b", pack()))).await?;),
        "a step in a step",
    );
    refused(
        quote!(step!("a", job = ship(5), detached = true).await?;),
        "stands alone",
    );
    refused(
        quote!(step!("a", job = ship(5), attempts = 3).await?;),
        "does not go with `job`",
    );
}

#[test]
fn a_variable_named_as_an_option_may_still_be_a_future() {
    accepted(quote!(step!("a", detached).await?;));
    accepted(quote!(step!("a", attempts = 3, detached).await?;));
    accepted(quote!(step!("a", job).await?;));
}

#[test]
fn steps_are_found_inside_the_macros_of_others() {
    let body = quote! {
        let (a, b) = tokio::join!(step!("a", work()), step!("b", work()));
        tokio::try_join!(biased; step!("c", work()), async { step!("d", work()).await })?;
        let list = vec![step!("e", work()), step!("f", work())];
        println!("{:?}", step!("g", work()).await);
        tokio::select! { biased;
            r = step!("h", work()) => { step!("i", work()).await?; }
            _ = step!("j", sleep = "1h"), if late => {}
            else => {}
        }
        strange!(this => is |not| rust; for each { step!("k:{each}", work()) });
        Ok(())
    };
    let found: Vec<String> = names(body).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(
        found,
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k:{each}"]
    );
}

#[test]
fn a_body_that_does_not_parse_is_marked_and_said_nothing_of() {
    let (marked, texts) = read(quote!(let a = step!("a", work()).; Ok(())), false);
    assert_eq!(texts, Vec::<String>::new());
    assert!(marked.tokens.to_string().contains("@ call"));
}

#[test]
fn a_step_starts_with_its_name() {
    refused(quote!(step!().await?;), "needs a name and a future");
    refused(quote!(step!(work()).await?;), "a text in quotes");
    refused(quote!(step!(NAME, work()).await?;), "a text in quotes");
    refused(quote!(step!("a" work()).await?;), "expected `,`");
}

#[test]
fn a_step_needs_one_future() {
    refused(quote!(step!("a").await?;), "needs a future");
    refused(quote!(step!("a",).await?;), "needs a future");
    refused(quote!(step!("a", attempts = 3).await?;), "has no future");
    refused(quote!(step!("a", move).await?;), "has no future");
    refused(quote!(step!("a", one(), two()).await?;), "of its own");
    refused(
        quote!(step!("a", one(), attempts = 3).await?;),
        "before its future",
    );
}

#[test]
fn two_steps_of_one_name_are_refused() {
    refused(
        quote!(step!("a", one()).await?; step!("a", two()).await?;),
        "used twice",
    );
    refused(
        quote!(for x in 0..2 {
            step!("a:{x}", one()).await?;
            step!("a:{y}", two()).await?;
        }),
        "used twice",
    );
    refused(
        quote!(step!(sleep = "1h").await; step!(sleep = "1h").await;),
        "used twice",
    );
}

#[test]
fn a_constant_name_does_not_repeat() {
    for looping in [
        quote!(for x in y {
            step!("a", one()).await?;
        }),
        quote!(while go {
            step!("a", one()).await?;
        }),
        quote!(loop {
            step!("a", one()).await?;
        }),
        quote!(while step!("a", one()).await? {}),
    ] {
        refused(looping, "is in a loop");
    }
    refused(
        quote!(let f = y.map(|x| step!("a", one(x)));),
        "is in a closure",
    );
    accepted(quote!(for x in step!("a", one()).await? {
        step!("b:{x}", one()).await?;
    }));
}

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
fn a_write_of_a_step_to_a_variable_outside_is_refused() {
    for body in [
        quote!(let mut n = 0; step!("a", { n = 5; Ok(()) }).await?;),
        quote!(let mut n = 0; step!("a", async { n += one().await?; Ok(()) }).await?;),
        quote!(let mut n = Pair::new(); step!("a", { n.left[0] = 5; Ok(()) }).await?;),
        quote!(let n = &mut pair; step!("a", { *n = 5; Ok(()) }).await?;),
        quote!(let mut list = vec![]; step!("a", fill(&mut list)).await?;),
        quote!(let mut list = vec![]; step!("a", { list.push(one().await?); Ok(()) }).await?;),
        quote!(step!("a", attempts = 3, { input.n = 5; Ok(()) }).await?;),
        quote!(let mut n = 0; step!("a", tx = |tx: &mut Tx| { n = 5; write(tx) }).await?;),
    ] {
        refused(body, "the write would be lost");
    }
}

#[test]
fn a_step_may_write_to_what_is_its_own() {
    for body in [
        quote!(step!("a", { let mut n = 0; n += 5; Ok(n) }).await?;),
        quote!(let n = 1; step!("a", { let mut n = n; n += 5; Ok(n) }).await?;),
        quote!(let mut list = vec![]; step!("a", move { list.push(1); Ok(list) }).await?;),
        quote!(let mut list = vec![]; step!("a", async move { list.push(1); Ok(list) }).await?;),
        quote!(let queue = Queue::new(); step!("a", { queue.push(1); Ok(()) }).await?;),
        quote!(step!("a", { for i in 0..3 { total(&mut sum(i)); } Ok(()) }).await?;),
        quote!(step!("a", tx = |tx: &mut Tx| write(&mut *tx)).await?;),
        quote!(let n = cell(); step!("a", { *n.lock() = 5; Ok(()) }).await?;),
    ] {
        accepted(body);
    }
}

#[test]
fn a_reference_as_the_result_of_a_step_is_refused() {
    for body in [
        quote!(step!("a", { Ok("done") }).await?;),
        quote!(step!("a", async { Ok::<_, Failure>(&name[..]) }).await?;),
        quote!(step!("a", move { one().await?; Ok(name.as_str()) }).await?;),
    ] {
        refused(body, "a reference cannot be read back");
    }
    accepted(quote!(step!("a", { Ok("done".to_owned()) }).await?;));
}

#[test]
fn an_async_move_block_takes_what_it_captures() {
    let (marked, _) = read(
        quote!(step!("a", async move { one(list).await }).await?;),
        false,
    );
    assert!(
        marked.tokens.to_string().contains("@ once"),
        "{}",
        marked.tokens
    );
    let tried_again = quote!(step!("a", attempts = 3, async move { one().await }).await?;);
    let (marked, _) = read(tried_again, false);
    assert!(
        marked.tokens.to_string().contains("@ run"),
        "{}",
        marked.tokens
    );
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
fn options_of_a_step_are_checked() {
    refused(
        quote!(step!("a", atempts = 3, one()).await?;),
        "did you mean `attempts`?",
    );
    refused(
        quote!(step!("a", lock = 3, one()).await?;),
        "has no option `lock`",
    );
    refused(
        quote!(step!("a", attempts = 3, attempts = 4, one()).await?;),
        "given twice",
    );
    refused(
        quote!(step!("a", attempts = 0, one()).await?;),
        "at least once",
    );
    refused(
        quote!(step!("a", attempts = "3", one()).await?;),
        "a whole number",
    );
    refused(quote!(step!("a", timeout = "30", one()).await?;), "no unit");
    refused(
        quote!(step!("a", timeout = 30, one()).await?;),
        "a duration in quotes",
    );
    refused(
        quote!(step!("a", backoff = "1s", one()).await?;),
        "add `attempts = 3`",
    );
    refused(
        quote!(step!("a", attempts = 3, move one()).await?;),
        "only once in an attempt",
    );
    refused(
        quote!(step!("a", key = 3, one()).await?;),
        "belongs to a step with `event`",
    );
    refused(
        quote!(step!("a", required = true, one()).await?;),
        "belongs to a step with `event`",
    );
    accepted(quote!(step!("a", attempts = n, timeout = d, one()).await?;));
}

#[test]
fn sleeps_and_waits_take_their_own_options() {
    refused(quote!(step!("a", sleep = "3 days").await;), "\"3d\"");
    refused(
        quote!(step!("a", sleep = "3d", one()).await;),
        "holds no future",
    );
    refused(
        quote!(step!("a", sleep = "3d", timeout = "1d").await;),
        "no option but `was`",
    );
    refused(
        quote!(step!("a", sleep = "3d", event = Paid).await;),
        "write two steps",
    );
    refused(quote!(step!(sleep = length).await;), "needs a name");
    refused(quote!(step!(event = Paid).await?;), "starts with its name");
    refused(
        quote!(step!("a", event = Paid, attempts = 3).await?;),
        "does not go with `event`",
    );
    refused(
        quote!(step!("a", event = Paid, since = run).await?;),
        "takes `step`",
    );
    refused(
        quote!(step!("a", event = Paid, required = true).await?;),
        "stands alone",
    );
    accepted(
        quote!(step!("a", required).await?;)
            .into_iter()
            .chain(quote!())
            .collect(),
    );
}

#[test]
fn a_step_that_runs_at_most_once_is_never_tried_again() {
    accepted(quote!(step!("a", effect = at_most_once, timeout = "1s", move one()).await?;));
    refused(
        quote!(step!("a", effect = once, one()).await?;),
        "takes `at_most_once`",
    );
    refused(
        quote!(step!("a", effect = at_most_once, attempts = 3, one()).await?;),
        "remove `attempts`",
    );
    refused(
        quote!(step!("a", effect = at_most_once, backoff = "1s", one()).await?;),
        "remove `backoff`",
    );
    refused(
        quote!(step!("a", event = Paid, effect = at_most_once).await?;),
        "does not go with `event`",
    );
}

#[test]
fn a_step_in_a_transaction_names_it_with_its_type() {
    accepted(quote!(
        step!("a", tx = |tx: &mut SqliteTx| debit(tx, &input)).await?;
        step!("b", tx = |tx: &mut SqliteTx| { debit(tx, &input).await?; Ok(1) }).await?;
        step!("c", attempts = 3, backoff = "1s", timeout = "2s", was = ["d"],
            tx = |tx: &mut SqliteTx| debit(tx, &input)).await?;
    ));
    for (call, part) in [
        (quote!(step!("a", tx = debit(&input)).await?;), "`tx` takes"),
        (quote!(step!("a", tx = || debit()).await?;), "one parameter"),
        (
            quote!(step!("a", tx = |tx| debit(tx)).await?;),
            "write the type",
        ),
        (
            quote!(step!("a", tx = |tx: SqliteTx| debit(tx)).await?;),
            "lent as `&mut`",
        ),
        (
            quote!(step!("a", tx = |tx: &SqliteTx| debit(tx)).await?;),
            "takes `&mut`",
        ),
        (
            quote!(step!("a", tx = move |tx: &mut SqliteTx| debit(tx)).await?;),
            "remove `move`",
        ),
        (
            quote!(step!("a", tx = async |tx: &mut SqliteTx| debit(tx)).await?;),
            "remove `async`",
        ),
        (
            quote!(step!("a", effect = at_most_once, tx = |tx: &mut SqliteTx| debit(tx)).await?;),
            "remove `effect`",
        ),
        (
            quote!(step!("a", tx = |tx: &mut SqliteTx| debit(tx), one()).await?;),
            "holds no future",
        ),
        (
            quote!(step!("a", tx = |tx: &mut SqliteTx| step!("b", one())).await?;),
            "a step in a step",
        ),
    ] {
        refused(call, part);
    }
}

#[test]
fn former_names_lead_to_one_step() {
    accepted(quote!(
        step!("a", was = ["b", "c:{x}"], one()).await?;
        step!("nap", was = ["rest"], sleep = "1h").await;
        step!("paid", event = Paid, was = ["payed"]).await?;
        step!("bill", was = ["invoice"], steps = bill(&input)).await?;
        for x in y {
            step!("d:{x}", was = ["e:{x}"], one()).await?;
        }
    ));
    refused(
        quote!(step!("a", was = "b", one()).await?;),
        "a list of texts",
    );
    refused(
        quote!(step!("a", was = [b], one()).await?;),
        "a list of texts",
    );
    refused(quote!(step!("a", was = [""], one()).await?;), "is empty");
    refused(
        quote!(step!("a", was = ["a"], one()).await?;),
        "is called now",
    );
    refused(
        quote!(step!("a", was = ["b", "b"], one()).await?;),
        "in the list already",
    );
    refused(
        quote!(step!("b", one()).await?; step!("a", was = ["b"], one()).await?;),
        "is the name of another step",
    );
    refused(
        quote!(step!("a", was = ["b"], one()).await?; step!("b", one()).await?;),
        "is a former name of step \"a\"",
    );
    refused(
        quote!(step!("a", was = ["b"], one()).await?; step!("c", was = ["b"], one()).await?;),
        "is a former name of step \"a\"",
    );
    refused(
        quote!(for x in y {
            step!("d:{x}", was = ["e"], one()).await?;
        }),
        "on every pass",
    );
}

#[test]
fn a_helper_is_called_directly() {
    accepted(quote!(step!("a", steps = shop::bill(&input, step!("b", one()).await?)).await?;));
    for call in [
        quote!(bill),
        quote!(shop.bill(&input)),
        quote!(bill::<u64>(5)),
        quote!(async { bill(5).await }),
    ] {
        refused(
            quote!(step!("a", steps = #call).await?;),
            "by its path and nothing around it",
        );
    }
    refused(
        quote!(step!("a", steps = move bill(5)).await?;),
        "takes no `move`",
    );
    refused(
        quote!(step!("a", steps = bill(5), timeout = "1s").await?;),
        "no option but `was`",
    );
    refused(
        quote!(
            step!("a", steps = own()).await;
            #[steps]
            async fn own() {}
        ),
        "move `own` out",
    );
    refused(
        quote!(step!("a", steps = bill(work().await)).await?;),
        "awaited outside a step",
    );
}

#[test]
fn step_names_are_checked() {
    refused(quote!(step!("", one()).await?;), "is empty");
    refused(quote!(step!("a/b", one()).await?;), "contains `/`");
    refused(quote!(step!("a:{x}{y}", one()).await?;), "put a `:`");
    refused(quote!(step!("a:{x:?}", one()).await?;), "format options");
    let long = "x".repeat(201);
    refused(quote!(step!(#long, one()).await?;), "201 bytes");
}

#[test]
fn mismatched_braces_are_left_to_rustc() {
    let (marked, texts) = read(quote!(step!("a:{x", one()).await?;), false);
    assert_eq!(texts, Vec::<String>::new());
    assert!(
        marked
            .tokens
            .to_string()
            .contains("format_args ! (\"a:{x\")")
    );
}

#[test]
fn all_mistakes_are_found_in_one_pass() {
    let texts = refusals(quote! {
        work().await?;
        step!("a", colour = 1, one()).await?;
        step!("a", two()).await?;
        for x in y { step!("b", one()).await?; }
        step!("c").await?;
    });
    assert_eq!(texts.len(), 5, "{texts:#?}");
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
