//! The forms of a step, and how each is marked.

use super::*;

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
