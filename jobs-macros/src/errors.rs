//! The list of mistakes found in one definition. All of them are reported in one pass, each at
//! its token. What is still emitted beside them is decided by the caller, not here.

use crate::job::Kind;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;

/// Past this many errors a definition is broken in a way that more lines do not explain.
const MAX_ERRORS_PER_DEFINITION: usize = 64;

#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
    kind: Kind,
}

impl Errors {
    /// What a job and a task have in common is checked as of a job; the words name what it is.
    pub(crate) fn of(kind: Kind) -> Self {
        Errors {
            kind,
            ..Errors::default()
        }
    }

    pub(crate) fn at(&mut self, span: Span, text: impl Display) {
        let text = self.worded(text);
        self.add(syn::Error::new(span, text));
    }

    fn worded(&self, text: impl Display) -> String {
        text.to_string().replace(Kind::Job.name(), self.kind.name())
    }

    /// Underlines everything from the first to the last of `tokens`.
    pub(crate) fn over(&mut self, tokens: &impl ToTokens, text: impl Display) {
        let text = self.worded(text);
        self.add(syn::Error::new_spanned(tokens, text));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        if self.list.len() < MAX_ERRORS_PER_DEFINITION {
            self.list.push(error);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
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

/// The texts of all `compile_error!` in an expansion.
#[cfg(test)]
pub(crate) fn texts_in(tokens: TokenStream) -> Vec<String> {
    use proc_macro2::TokenTree;
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut texts = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let is_error =
            at >= 2 && matches!(&trees[at - 2], TokenTree::Ident(name) if name == "compile_error");
        if is_error {
            let text: syn::LitStr = syn::parse2(group.stream()).expect("an error is a text");
            texts.push(text.value());
        } else {
            texts.extend(texts_in(group.stream()));
        }
    }
    texts
}
