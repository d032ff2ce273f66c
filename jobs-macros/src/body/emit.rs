//! Writes the arguments of a marked `step!(..)`: `@form context [name] [tag] [options] expression`,
//! without a tag where the step stores nothing that has a type.
//! The forms are the arms of `step!` in `jobs-runtime/src/macros.rs`.

use super::child::Child;
use super::form::{Form, Run, Time, Wait};
use super::simple_call::is_simple_call;
use super::{Site, Tag, tokens};
use crate::duration::Backoff;
use crate::place;
use crate::template::Template;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::LitStr;
use syn::spanned::Spanned;

pub(super) fn marked(
    krate: &TokenStream,
    context: &Ident,
    name: &TokenStream,
    tag: Tag,
    form: &Form,
) -> TokenStream {
    let tag = tag.argument(krate).map(|tag| quote!([#tag]));
    match form {
        Form::Child(child) => child_arm(context, &quote!([#name] #tag), child),
        Form::Helper(call) => {
            let helper = call.with_lifetime(&quote!('_));
            let arguments = &call.arguments;
            quote!(@steps #context [#name] [#helper] #arguments)
        }
        Form::Run(run) => run_arm(krate, context, &quote!([#name] #tag), run),
        Form::Sleep(length) => {
            let length = self::length(krate, length);
            quote!(@sleep #context [#name] #length)
        }
        Form::SleepUntil(at) => quote!(@sleep_until #context [#name] #at),
        Form::Wait(wait) => wait_arm(krate, context, &quote!([#name] #tag), wait),
    }
}

/// The name as an expression: a text or a `String`, and more only if it was another before.
pub(super) fn name(krate: &TokenStream, template: &Template, formers: &[Template]) -> TokenStream {
    let name = text(krate, template);
    if formers.is_empty() {
        return name;
    }
    let formers = formers.iter().map(|former| text(krate, former));
    quote!(#krate::private::StepName::named(#name)#(.formerly(#formers))*)
}

/// What a template gives: a text, or a `String` rendered from it.
fn text(krate: &TokenStream, template: &Template) -> TokenStream {
    if template.is_constant() {
        let text = LitStr::new(&template.texts.concat(), template.literal.span());
        return quote!(#text);
    }
    rendered(krate, template)
}

/// A template as an expression of type `String`, with errors at the literal.
pub(crate) fn rendered(krate: &TokenStream, template: &Template) -> TokenStream {
    let span = place::ours_at(template.literal.span());
    let krate = place::respan(krate.clone(), span);
    let texts = &template.texts;
    let parts = template.holes.iter().map(|hole| {
        let value = template.hole_expression(hole);
        quote_spanned!(span=> #krate::private::key_part(&#value))
    });
    quote_spanned!(span=> #krate::private::rendered(&[#(#texts),*], &[#(#parts),*]))
}

/// The steps of a body as its definition lists them.
pub(crate) fn step_defs(krate: &TokenStream, sites: &[Site]) -> TokenStream {
    let defs = sites.iter().map(|site| {
        let (name, in_loop) = (&site.name, site.in_loop);
        let kind = Ident::new(site.kind, Span::call_site());
        let line = u32::try_from(site.line).unwrap_or(0);
        let mut rest = Vec::new();
        if !site.formers.is_empty() {
            let formers = site.formers.iter().map(|former| &former.literal);
            rest.push(quote!(was: &[#(#formers),*]));
        }
        if site.at_most_once {
            rest.push(quote!(at_most_once: true));
        }
        if site.tx {
            rest.push(quote!(tx: true));
        }
        if let Some(subject) = &site.subject {
            rest.push(quote!(subject: #subject));
        }
        if let Some(helper) = &site.helper {
            let helper = as_helper(krate, helper);
            rest.push(quote!(helper: ::core::option::Option::Some(#helper::def)));
        }
        let cfgs = &site.cfgs;
        let new = quote! {
            #krate::private::StepDef::new(
                #name, #krate::private::RecordKind::#kind, #line, #in_loop
            )
        };
        if rest.is_empty() {
            return quote!(#(#cfgs)* #new);
        }
        quote! {
            #(#cfgs)*
            #krate::private::StepDef { #(#rest,)* ..#new }
        }
    });
    quote!(&[#(#defs),*])
}

fn as_helper(krate: &TokenStream, helper: &TokenStream) -> TokenStream {
    let span = place::theirs_at(helper.span());
    quote_spanned!(span=> <#helper as #krate::private::Helper<'static>>)
}

fn run_arm(krate: &TokenStream, context: &Ident, name: &TokenStream, run: &Run) -> TokenStream {
    let options = run_options(krate, run);
    let body = &run.body.tokens;
    if let Some((pat, ty)) = &run.tx {
        let arm = if run.body.is_block {
            quote!(tx_block)
        } else {
            quote!(tx)
        };
        return quote!(@#arm #context #name [#options] [#pat] [#ty] #body);
    }
    // An `async move` block takes what it needs by its own words.
    let moves = run.body.moves.is_some() || run.attempts.is_none() && tokens::moves_in(body);
    let is_simple = || run.body.parsed.as_ref().is_some_and(is_simple_call);
    let arm = match (moves, run.body.is_block) {
        (false, false) if is_simple() => quote!(call),
        (false, false) => quote!(run),
        (false, true) => quote!(run_block),
        (true, false) => quote!(once),
        (true, true) => quote!(once_block),
    };
    quote!(@#arm #context #name [#options] #body)
}

fn child_arm(context: &Ident, name: &TokenStream, child: &Child) -> TokenStream {
    let request = &child.request.tokens;
    let arm = match (child.detached, child.request.moves.is_some()) {
        (false, false) => quote!(child),
        (false, true) => quote!(child_once),
        (true, false) => quote!(detached),
        (true, true) => quote!(detached_once),
    };
    quote!(@#arm #context #name #request)
}

fn run_options(krate: &TokenStream, run: &Run) -> TokenStream {
    let mut fields = Vec::new();
    if let Some(attempts) = &run.attempts {
        fields.push(quote!(attempts: #attempts));
    }
    if let Some(length) = &run.backoff {
        let value = backoff(krate, *length);
        fields.push(quote!(backoff: #value));
    }
    if let Some(length) = &run.timeout {
        let length = self::length(krate, length);
        fields.push(quote!(timeout: ::core::option::Option::Some(#length)));
    }
    if run.at_most_once {
        fields.push(quote!(at_most_once: true));
    }
    if fields.is_empty() {
        return quote!(#krate::private::StepOptions::DEFAULT);
    }
    quote!(#krate::private::StepOptions { #(#fields,)* ..#krate::private::StepOptions::DEFAULT })
}

fn wait_arm(krate: &TokenStream, context: &Ident, name: &TokenStream, wait: &Wait) -> TokenStream {
    let Wait {
        event,
        key,
        timeout,
        required,
        since_step,
    } = wait;
    let key = match key {
        Some(key) => quote_spanned!(key.span()=> &#key),
        None => quote!(#krate::private::AnyKey),
    };
    let timeout = match timeout {
        Some(length) => {
            let length = self::length(krate, length);
            quote!(::core::option::Option::Some(#length))
        }
        None => quote!(::core::option::Option::None),
    };
    let arm = if *required {
        quote!(wait_required)
    } else {
        quote!(wait)
    };
    let options = quote! {
        #krate::private::WaitOptions {
            key: ::core::option::Option::None,
            timeout: #timeout,
            since_step: #since_step,
        }
    };
    quote!(@#arm #context #name [#options] [#key] #event)
}

fn length(krate: &TokenStream, time: &Time) -> TokenStream {
    match time {
        Time::Computed(expr) => quote!(#krate::private::millis(#expr)),
        Time::Millis(millis) => self::millis(krate, *millis),
    }
}

pub(crate) fn backoff(krate: &TokenStream, backoff: Backoff) -> TokenStream {
    match backoff {
        Backoff::Fixed { millis } => {
            let delay = self::millis(krate, millis);
            quote!(#krate::private::Backoff::fixed(#delay))
        }
        Backoff::Exponential {
            min_millis,
            max_millis,
        } => {
            let (min, max) = (
                self::millis(krate, min_millis),
                self::millis(krate, max_millis),
            );
            quote!(#krate::private::Backoff::exponential(#min, #max))
        }
    }
}

pub(crate) fn millis(krate: &TokenStream, millis: u64) -> TokenStream {
    quote!(#krate::private::Millis(#millis))
}
