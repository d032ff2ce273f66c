//! Tests of `#[derive(Event)]`.

use super::*;
use crate::snapshot;

#[track_caller]
fn refused(item: TokenStream, part: &str) {
    let text = derive(item).to_string();
    assert_eq!(text.matches("compile_error").count(), 1, "{text}");
    assert!(text.contains(part), "{text}");
}

#[test]
fn an_event_says_what_its_key_is() {
    refused(
        quote!(
            struct Paid;
        ),
        "needs a correlation key",
    );
    refused(
        quote!(
            #[event(name = "paid")]
            struct Paid;
        ),
        "needs a correlation key",
    );
    refused(
        quote!(
            #[event(key = 5)]
            struct Paid;
        ),
        "the type of the key",
    );
}

#[test]
fn options_of_an_event_are_checked() {
    refused(
        quote!(
            #[event(key = u64, names = "x")]
            struct Paid;
        ),
        "did you mean `name`?",
    );
    refused(
        quote!(
            #[event(key = u64, name = "a b")]
            struct Paid;
        ),
        "a space",
    );
    refused(
        quote!(
            #[event(key = u64, ttl = "7")]
            struct Paid;
        ),
        "no unit",
    );
    refused(
        quote!(
            #[event(key = u64)]
            #[event(key = u64)]
            struct Paid;
        ),
        "given twice",
    );
    refused(
        quote!(
            #[event(key = T)]
            struct Paid<T>(T);
        ),
        "cannot be generic",
    );
}

#[test]
fn an_event() {
    let item = quote! {
        #[event(name = "feedback-given", was = ["feedback"], key = u64, ttl = "7d")]
        struct FeedbackGiven { stars: u8 }
    };
    snapshot::check("event", derive(item));
}
