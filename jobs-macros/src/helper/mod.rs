//! `#[steps]`: an `async fn` that holds steps, called inside a job by `step!(.., steps = ..)`.
//! Parse, check, expand; the steps of its body are marked as those of a job.

mod args;
mod check;
mod expand;
#[cfg(test)]
mod tests;

use crate::body::{self, Policy};
use crate::errors::Errors;
use crate::job;
use crate::runtime::Runtime;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;

pub(crate) fn define(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(arguments, &mut errors);
    let Ok(function) = job::parse_item(item.clone()) else {
        let first = item.clone().into_iter().find_map(|tree| match tree {
            TokenTree::Ident(word) if word != "pub" => Some(word.span()),
            _ => None,
        });
        errors.at(
            first.unwrap_or_else(Span::call_site),
            "`#[steps]` goes on an `async fn` that holds steps",
        );
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    let Runtime { krate, import } = Runtime::named(args.krate.as_ref(), &function.sig.ident);
    let is_expandable = check::signature(&function, &mut errors);
    let policy = Policy {
        krate: krate.clone(),
        allowed: args.allowed,
        owner: "steps",
        described: expand::is_described(&function),
        helper: Some(function.sig.ident.clone()),
    };
    let marked = body::mark(&function, &policy, &mut errors);
    let definition = expand::Definition {
        krate,
        function: &function,
        marked: &marked,
        allowed: args.allowed,
    };
    let definition = definition.expand(is_expandable);
    let errors = errors.into_tokens();
    quote!(#import #definition #errors)
}
