//! The entry points of the macros, and nothing else.
//!
//! Each macro is a pipeline of three: *parse* reads tokens into a model, *check* refuses what
//! must not be, *expand* writes Rust. The documentation of each macro stands where it is
//! re-exported, in `jobs-runtime`, because there its examples compile.

use proc_macro::TokenStream;

mod body;
mod claim;
mod duration;
mod errors;
mod event;
mod helper;
mod job;
mod names;
mod options;
mod place;
mod runtime;
#[cfg(test)]
mod snapshot;
mod suggest;
mod template;
mod type_def;

#[allow(
    missing_docs,
    reason = "documented where it is re-exported, so that its examples compile"
)]
#[proc_macro_attribute]
pub fn job(arguments: TokenStream, item: TokenStream) -> TokenStream {
    job::define(job::Kind::Job, arguments.into(), item.into()).into()
}

#[allow(
    missing_docs,
    reason = "documented where it is re-exported, so that its examples compile"
)]
#[proc_macro_attribute]
pub fn task(arguments: TokenStream, item: TokenStream) -> TokenStream {
    job::define(job::Kind::Task, arguments.into(), item.into()).into()
}

#[allow(
    missing_docs,
    reason = "documented where it is re-exported, so that its examples compile"
)]
#[proc_macro_attribute]
pub fn steps(arguments: TokenStream, item: TokenStream) -> TokenStream {
    helper::define(arguments.into(), item.into()).into()
}

#[allow(
    missing_docs,
    reason = "documented where it is re-exported, so that its examples compile"
)]
#[proc_macro_derive(Event, attributes(event))]
pub fn event(item: TokenStream) -> TokenStream {
    event::derive(item.into()).into()
}
