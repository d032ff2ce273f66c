//! `allow = (..)`: the refusals that are judgements, and so can be lifted. Each stands in the
//! definition, where a reviewer sees it.

use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

const NAMES: &[&str] = &["raw_await", "unstable_values"];

#[derive(Clone, Copy, Default)]
pub(crate) struct Allowed {
    /// Futures that are no steps may be awaited, and started.
    pub(crate) raw_await: bool,
    /// Clocks, random numbers and the environment may be read outside of steps.
    pub(crate) unstable_values: bool,
}

pub(crate) fn read(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Allowed> {
    if !input.peek(syn::token::Paren) {
        return Err(input.error("`allow` takes a list, as in `allow = (raw_await)`"));
    }
    let inside;
    syn::parenthesized!(inside in input);
    let mut allowed = Allowed::default();
    for word in inside.parse_terminated(Ident::parse_any, Token![,])? {
        let text = word.to_string();
        match text.as_str() {
            "raw_await" => allowed.raw_await = true,
            "unstable_values" => allowed.unstable_values = true,
            _ => {
                let hint = suggest::hint(&text, NAMES);
                errors.at(word.span(), format!("`{text}` cannot be allowed; {hint}"));
            }
        }
    }
    Ok(allowed)
}

impl Allowed {
    /// The fields of a definition that say so.
    pub(crate) fn fields(self) -> Vec<TokenStream> {
        let mut fields = Vec::new();
        if self.raw_await {
            fields.push(quote!(raw_await: true));
        }
        if self.unstable_values {
            fields.push(quote!(unstable_values: true));
        }
        fields
    }
}
