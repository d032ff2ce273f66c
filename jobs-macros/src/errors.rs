//! The list of mistakes found in one definition. All of them are reported in one pass, each at
//! its token. What is still emitted beside them is decided by the caller, not here.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;

/// Past this many errors a definition is broken in a way that more lines do not explain.
const MAX_ERRORS_PER_DEFINITION: usize = 64;

#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    pub(crate) fn at(&mut self, span: Span, text: impl Display) {
        self.add(syn::Error::new(span, text));
    }

    /// Underlines everything from the first to the last of `tokens`.
    pub(crate) fn over(&mut self, tokens: &impl ToTokens, text: impl Display) {
        self.add(syn::Error::new_spanned(tokens, text));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        if self.list.len() < MAX_ERRORS_PER_DEFINITION {
            self.list.push(error);
        }
    }

    pub(crate) fn into_tokens(self) -> TokenStream {
        self.list
            .into_iter()
            .map(syn::Error::into_compile_error)
            .collect()
    }

    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<String> {
        self.list.iter().map(ToString::to_string).collect()
    }
}
