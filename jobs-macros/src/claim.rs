//! One owner per durable name. Two nets are made here: within a crate a macro exported under the
//! name, which rustc refuses twice at `cargo check`; between crates a symbol, which the linker
//! refuses twice (`private::claim!` in the runtime). The third net, the check at start, is the
//! runtime's too.

use crate::place;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// What kind of thing has the name; kinds do not compete with each other.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Event,
    Job,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Event => "event",
            Kind::Job => "job",
        }
    }
}

/// The claim within the crate. Goes where the item stands, so that an error can point at `span`.
pub(crate) fn in_crate(kind: Kind, name: &str, span: Span) -> TokenStream {
    let span = place::theirs_at(span);
    let name = Ident::new(&macro_name(kind, name), span);
    quote_spanned! {span=>
        #[doc(hidden)]
        #[allow(non_local_definitions, unused_macros)]
        #[macro_export]
        macro_rules! #name { () => {} }
    }
}

/// The claim between crates. How a symbol comes into being differs between targets, which is the
/// runtime's to know.
pub(crate) fn between_crates(krate: &TokenStream, kind: Kind, name: &str) -> TokenStream {
    let word = kind.word();
    // Each in a block of its own, because each makes a module of one name.
    quote!(const _: () = { #krate::private::claim! { #word #name } };)
}

/// An identifier that no other name gives: `-` and `.` are no part of one, so a name with them
/// gets another prefix and says where they stood.
fn macro_name(kind: Kind, name: &str) -> String {
    let word = kind.word();
    let marks: Vec<String> = name
        .char_indices()
        .filter_map(|(at, c)| match c {
            '-' => Some(format!("dash{at}")),
            '.' => Some(format!("dot{at}")),
            _ => None,
        })
        .collect();
    if marks.is_empty() {
        return format!("{word}_name_already_taken__{name}");
    }
    let plain = name.replace(['-', '.'], "_");
    let marks = marks.join("_");
    format!("{word}_name_already_taken_by__{plain}__{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_give_different_macros() {
        let names = [
            "a_b",
            "a-b",
            "a.b",
            "a-b-c",
            "a-b_c",
            "a_b-c",
            "a_b__dash1",
            "by__a_b__dash1",
        ];
        let mut macros: Vec<String> = names
            .iter()
            .map(|name| macro_name(Kind::Job, name))
            .collect();
        macros.sort();
        macros.dedup();
        assert_eq!(macros.len(), names.len(), "{macros:#?}");
    }

    #[test]
    fn an_event_may_be_called_like_a_job() {
        assert_ne!(
            macro_name(Kind::Job, "paid"),
            macro_name(Kind::Event, "paid")
        );
    }
}
