//! `#[job]`: parse, check, expand. Whatever is wrong, something is emitted that gives no
//! further errors beside the ones reported.

mod allow;
mod args;
mod attributes;
mod borrowed;
mod check;
mod entry;
mod expand;
mod extracted;
mod hints;
mod item;
mod limit;
mod registered;
mod task;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use allow::{Allowed, read as read_allow};
pub(crate) use attributes::{Place, attributes, is_foreign};
pub(crate) use item::{Body, JobFn, parse as parse_item};

use crate::body::{self, Policy};
use crate::errors::Errors;
use crate::runtime::Runtime;
use args::{Args, Idempotency};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// Which of the two attributes this is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Job,
    /// A job that a schedule enqueues.
    Task,
}

impl Kind {
    /// The attribute, as errors name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Job => "`#[job]`",
            Kind::Task => "`#[task]`",
        }
    }
}

pub(crate) fn define(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::of(kind);
    let mut args = args::parse(arguments, kind, &mut errors);
    let job = match item::parse(item.clone()) {
        Ok(job) => job,
        Err(_) => return refuse_item(item, errors),
    };
    let Runtime { krate, import } = Runtime::named(args.krate.as_ref(), &job.sig.ident);
    let mut shape = check::signature(&job, kind, &mut errors);
    shape.is_borrowed = borrowed::refuse(&shape, &mut errors);
    if args.is_task() {
        args.task.agreement(&mut errors);
    }
    require_idempotency(&args, &job, &shape, &mut errors);
    check::agreement(&mut args, &job, &shape, &mut errors);
    let policy = Policy {
        krate: krate.clone(),
        allowed: args.allowed,
        owner: match kind {
            Kind::Job => "job",
            Kind::Task => "task",
        },
        described: !is_foreign(&job.attrs),
        helper: None,
    };
    let marked = body::mark(&job, &policy, &mut errors);
    refuse_removed(&args, &marked, &mut errors);
    let definition = expand::Definition {
        krate,
        name: match &args.name {
            Some(name) => name.value(),
            None => check::default_name(&job),
        },
        args: &args,
        job: &job,
        shape: &shape,
        marked: &marked,
    };
    let definition = definition.expand();
    let (errors, rustc_says) = (errors.into_tokens(), &args.rustc_says);
    quote! {
        #import
        #definition
        #(const _: () = { let _ = #rustc_says; };)*
        #errors
    }
}

/// The item is no function at all: it stays as it is.
fn refuse_item(item: TokenStream, mut errors: Errors) -> TokenStream {
    let first = item.clone().into_iter().find_map(|tree| match tree {
        proc_macro2::TokenTree::Ident(word) if word != "pub" => Some(word.span()),
        _ => None,
    });
    errors.at(
        first.unwrap_or_else(Span::call_site),
        "`#[job]` goes on an `async fn`, whose body is the work to be done",
    );
    let errors = errors.into_tokens();
    quote!(#item #errors)
}

fn require_idempotency(args: &Args, job: &JobFn, shape: &check::Shape, errors: &mut Errors) {
    if args.is_task() || args.idempotency.is_some() || !shape.is_expandable {
        return;
    }
    let name = check::default_name(job);
    let example = hints::idempotency(&name, job, shape);
    errors.at(
        Span::call_site(),
        format!("a `#[job]` needs an idempotency key: at-least-once delivery would run it twice; add `{example}`, or `idempotency = none` if running twice is harmless"),
    );
}

/// A step that is still there was not removed, nor was one that only has another name now.
fn refuse_removed(args: &Args, marked: &body::Marked, errors: &mut Errors) {
    for removed in &args.removed {
        let skeleton = removed.skeleton();
        let Some(site) = marked.steps.iter().find(|site| site.answers_to(&skeleton)) else {
            continue;
        };
        let (name, line) = (&site.name, site.line);
        let text = if site.was(&skeleton) {
            format!(
                "step \"{name}\" (on line {line}) answers to this name by its `was`; take it out of `removed`"
            )
        } else {
            format!(
                "step \"{name}\" is still in this job (on line {line}); take it out of `removed`"
            )
        };
        errors.at(removed.literal.span(), text);
    }
}

/// Whether a second enqueue of one key finds the first.
fn is_keyed(args: &Args) -> bool {
    !matches!(args.idempotency, Some(Idempotency::None))
}
