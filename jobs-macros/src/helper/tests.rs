//! Tests of `#[steps]`: what is refused of a helper, and what one becomes.

use super::*;
use crate::errors::texts_in;
use crate::snapshot;

#[track_caller]
fn refused(item: TokenStream, part: &str) {
    let texts = texts_in(define(quote!(), item));
    assert_eq!(texts.len(), 1, "one mistake, one error: {texts:#?}");
    assert!(texts[0].contains(part), "{texts:#?}");
}

#[track_caller]
fn accepted(item: TokenStream) {
    assert_eq!(texts_in(define(quote!(), item)), Vec::<String>::new());
}

#[test]
fn a_helper_takes_and_gives_what_it_likes() {
    accepted(quote!(
        async fn bill<'a>(order: &'a Order, list: &mut Vec<u64>) -> Option<&'a str> {
            list.push(step!("charge", charge(order)).await.ok()?);
            Some(&order.name)
        }
    ));
    accepted(quote!(
        async fn bill() {}
    ));
}

#[test]
fn the_signature_is_checked_with_one_error_each() {
    let cases = [
        (
            quote!(
                fn w() {}
            ),
            "write `async fn`",
        ),
        (
            quote!(
                async fn w<T>(order: T) {}
            ),
            "cannot be generic",
        ),
        (
            quote!(
                async fn w(order: impl Into<u64>) {}
            ),
            "cannot be generic",
        ),
        (
            quote!(
                async fn w() -> impl Copy {}
            ),
            "a type that has a name",
        ),
        (
            quote!(
                async fn w(&self) {}
            ),
            "a free function",
        ),
        (
            quote!(
                async unsafe fn w() {}
            ),
            "`unsafe`",
        ),
        (
            quote!(
                struct W;
            ),
            "goes on an `async fn`",
        ),
    ];
    for (item, part) in cases {
        refused(item, part);
    }
}

#[test]
fn the_body_of_a_helper_is_checked_as_that_of_a_job() {
    let cases = [
        (quote!(work().await?;), "awaited outside a step"),
        (
            quote!(step!("a", one()).await?; step!("a", two()).await?;),
            "used twice in this helper",
        ),
        (
            quote!(for x in y {
                step!("a", one()).await?;
            }),
            "in a loop",
        ),
        (
            quote!(for x in y {
                step!("a", steps = other(x)).await?;
            }),
            "in a loop",
        ),
        (
            quote!(step!("a", { step!("b", one()).await }).await?;),
            "a step in a step",
        ),
    ];
    for (body, part) in cases {
        refused(
            quote!(async fn bill(order: &Order) -> Result<()> { #body Ok(()) }),
            part,
        );
    }
}

#[test]
fn a_helper_that_calls_itself_is_refused() {
    for path in [quote!(bill), quote!(self::bill)] {
        refused(
            quote!(
                async fn bill(n: u64) {
                    step!("a:{n}", steps = #path(n - 1)).await
                }
            ),
            "`bill` calls itself",
        );
    }
    accepted(quote!(
        async fn bill(n: u64) {
            step!("a:{n}", steps = other::bill(n - 1)).await
        }
    ));
}

#[test]
fn options_of_a_helper_are_checked() {
    let item = quote!(
        async fn bill() {}
    );
    let texts = texts_in(define(quote!(alow = (raw_await), crate), item));
    assert_eq!(
        texts,
        [
            "`#[steps]` has no option `alow`; did you mean `allow`?",
            "the option `crate` needs a value: `crate = path::to::runtime`"
        ]
    );
}

#[test]
fn a_plain_helper() {
    let item = quote! {
        /// Bills an order.
        pub(crate) async fn bill(order: &Order, Note { text }: Note) -> Result<u64> {
            let cents = step!("price", price(order)).await?;
            step!("tax", steps = taxes::ask(order, cents)).await?;
            step!("charge", effect = at_most_once, was = ["pay"], charge(order, cents)).await
        }
    };
    snapshot::check("helper", define(quote!(), item));
}
