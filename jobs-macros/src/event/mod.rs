//! `#[derive(Event)]`: parse, check, expand.

mod args;
mod expand;
#[cfg(test)]
mod tests;

use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Generics, Ident, Item};

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some((ident, generics, attrs)) = parts(item) else {
        // rustc parses the item too, and says what is wrong with it.
        return TokenStream::new();
    };
    if !generics.params.is_empty() {
        errors.over(
            &generics,
            "an event cannot be generic: it is stored under one name with one type; name the types",
        );
    }
    let args = args::parse(&attrs, &ident, &mut errors);
    let is_expandable = generics.params.is_empty();
    let errors = errors.into_tokens();
    if !is_expandable {
        return errors;
    }
    let expanded = expand::event(&ident, &args);
    quote!(#expanded #errors)
}

fn parts(item: TokenStream) -> Option<(Ident, Generics, Vec<Attribute>)> {
    match syn::parse2::<Item>(item).ok()? {
        Item::Enum(item) => Some((item.ident, item.generics, item.attrs)),
        Item::Struct(item) => Some((item.ident, item.generics, item.attrs)),
        Item::Union(item) => Some((item.ident, item.generics, item.attrs)),
        _ => None,
    }
}

/// The place of the derive itself.
fn here() -> Span {
    Span::call_site()
}
