//! Tests of the marking of bodies: what is refused, in which words, and what is let through.

mod forms;
mod names;
mod options;
mod places;
mod values;

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
fn a_body_that_does_not_parse_is_marked_and_said_nothing_of() {
    let (marked, texts) = read(quote!(let a = step!("a", work()).; Ok(())), false);
    assert_eq!(texts, Vec::<String>::new());
    assert!(marked.tokens.to_string().contains("@ call"));
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
