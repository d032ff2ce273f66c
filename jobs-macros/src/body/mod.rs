//! The body of a job: every `step!(..)` in it is *marked*, which means that a prefix with the
//! hidden context, the name and the options is put before the user's expression. All else stays
//! as it was written, so spans, imports and the editor's view are the user's.
//!
//! What is refused in a body is refused here; what `step!` makes of a marked call is written in
//! `jobs-runtime`, in `macros.rs`.

mod await_check;
mod borrowed_result;
mod call;
mod cfg;
mod child;
mod effect;
mod emit;
mod form;
mod former;
mod helper_call;
mod lost_write;
mod marker;
mod no_future;
mod other_macros;
mod parts;
mod scope;
mod select;
mod simple_call;
mod tag;
#[cfg(test)]
mod tests;
mod tokens;
mod tx_call;
mod unstable;

pub(crate) use cfg::of as cfgs_of;
pub(crate) use emit::{backoff, millis, rendered, step_defs};
pub(crate) use tag::{Tag, bound, declared, entered};

use crate::errors::Errors;
use crate::job::{Allowed, Body, JobFn};
use crate::template::Template;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Attribute;
use syn::visit_mut::VisitMut;

/// How a body is to be read.
pub(crate) struct Policy {
    /// The path of the runtime crate.
    pub(crate) krate: TokenStream,
    pub(crate) allowed: Allowed,
    /// The attribute, for the errors: `job`.
    pub(crate) owner: &'static str,
    /// The body can be entered to describe itself.
    pub(crate) described: bool,
    /// The name of the helper, if the body is one's and not a job's.
    pub(crate) helper: Option<Ident>,
}

/// A body whose steps are marked.
pub(crate) struct Marked {
    /// What goes between the braces.
    pub(crate) tokens: TokenStream,
    pub(crate) steps: Vec<Site>,
    /// Items that make rustc warn at a token of the body.
    pub(crate) warnings: Vec<TokenStream>,
    /// Whether the body ends with an expression, which then is its value.
    pub(crate) has_value: bool,
}

/// One step as the definition lists it.
pub(crate) struct Site {
    /// The template, as written.
    pub(crate) name: String,
    pub(crate) skeleton: String,
    pub(crate) kind: &'static str,
    pub(crate) line: usize,
    pub(crate) in_loop: bool,
    /// What it was called before.
    pub(crate) formers: Vec<Template>,
    pub(crate) at_most_once: bool,
    /// It writes in a transaction of the store.
    pub(crate) tx: bool,
    /// The conditions under which it is there.
    pub(crate) cfgs: Vec<Attribute>,
    /// What it waits for or asks for, as written.
    pub(crate) subject: Option<String>,
    /// What it stores.
    pub(crate) tag: Tag,
    /// The helper it calls, as a type.
    pub(crate) helper: Option<TokenStream>,
}

pub(crate) fn mark(job: &JobFn, policy: &Policy, errors: &mut Errors) -> Marked {
    let mut marker = marker::Marker::new(errors, policy);
    match &job.body {
        Body::Parsed(block) => {
            marker.inner_helpers = helper_call::defined_in(block);
            let mut block = (**block).clone();
            marker.bound.read(&mut job.sig.clone());
            marker.bound.read(&mut block);
            marker.visit_block_mut(&mut block);
            let has_value = matches!(
                block.stmts.last(),
                Some(syn::Stmt::Expr(_, None))
                    | Some(syn::Stmt::Macro(syn::StmtMacro {
                        semi_token: None,
                        ..
                    }))
            );
            let tokens = block.stmts.iter().map(ToTokens::to_token_stream).collect();
            marker.finish(tokens, has_value)
        }
        Body::Tokens(tokens) => {
            let tokens = marker.scan(tokens.clone());
            marker.finish(tokens, true)
        }
    }
}

/// The hidden first parameter of a body: hygienic, so it can neither be named nor shadowed.
pub(crate) fn context() -> Ident {
    Ident::new("__job_cx", Span::mixed_site())
}

/// The arguments of a `step!` of which rustc says no more than the error.
fn refusal(error: syn::Error) -> TokenStream {
    let error = error.into_compile_error();
    quote!(@refused #error)
}
