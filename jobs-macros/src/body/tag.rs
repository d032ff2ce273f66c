//! Tags: how a body tells the types of its steps. Which step is tied to a tag is decided here, and
//! how the body is entered to describe itself is written here; what a tag is, in `jobs-runtime`, in
//! `private/tag.rs`.
//!
//! A tag whose step rustc never sees would have no type, which is an error. So a tag takes the
//! conditions of its step along; and a step whose conditions cannot be seen, or in a macro that may
//! do anything with its tokens, is tied to none, and its type stands as not known.

use super::Marked;
use super::form::Form;
use crate::place;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::PatType;
use syn::spanned::Spanned;

/// What a step stores, as far as it is known here.
#[derive(Clone, Copy)]
pub(crate) enum Tag {
    /// The event of this tag's type.
    Event(usize),
    NotKnown,
    Nothing,
    /// A value of this tag's type.
    Output(usize),
}

impl Tag {
    /// `at` is the place of the step in the list; `tied` tells whether it may have a tag.
    pub(super) fn of(form: &Form, at: usize, tied: bool) -> Self {
        match form {
            Form::Child(child) if child.detached => Tag::Nothing,
            Form::Helper(_) | Form::Sleep(_) | Form::SleepUntil(_) => Tag::Nothing,
            Form::Child(_) | Form::Run(_) | Form::Wait(_) if !tied => Tag::NotKnown,
            Form::Child(_) | Form::Run(_) => Tag::Output(at),
            Form::Wait(_) => Tag::Event(at),
        }
    }

    /// What stands for the type of a step in its `step!`; nothing where it stores nothing that has a type.
    pub(super) fn argument(self, krate: &TokenStream) -> Option<TokenStream> {
        match self {
            Tag::Event(at) | Tag::Output(at) => Some(nth(at).to_token_stream()),
            Tag::NotKnown => Some(quote!(#krate::private::Tag::new())),
            Tag::Nothing => None,
        }
    }
}

/// Macros that give every one of their arguments to rustc, once.
const TRANSPARENT: &[&str] = &[
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "dbg",
    "ensure",
    "eprintln",
    "format",
    "join",
    "panic",
    "pin",
    "print",
    "println",
    "select",
    "try_join",
    "vec",
    "write",
    "writeln",
];

pub(super) fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

/// The tags of a body, as its first statements.
pub(crate) fn declared(krate: &TokenStream, marked: &Marked) -> TokenStream {
    let tags = marked.steps.iter().filter_map(|site| match site.tag {
        Tag::Event(at) | Tag::Output(at) => {
            let (cfgs, tag) = (&site.cfgs, nth(at));
            Some(quote!(#(#cfgs)* let #tag = #krate::private::Tag::new();))
        }
        Tag::NotKnown | Tag::Nothing => None,
    });
    tags.collect()
}

/// The body in two arms: to run, `given` being what it works on, and to describe itself. That
/// comes last, because only there does rustc know what the tags are, and can look for a schema.
pub(crate) fn entered(
    krate: &TokenStream,
    entry: &Ident,
    given: &TokenStream,
    body: &TokenStream,
    marked: &Marked,
) -> TokenStream {
    let (tags, context) = (declared(krate, marked), super::context());
    let (told, never) = (
        Ident::new("__told", Span::mixed_site()),
        Ident::new("__never", Span::mixed_site()),
    );
    let types = marked.steps.iter().map(|site| {
        let cfgs = &site.cfgs;
        let ty = match site.tag {
            Tag::Event(at) => {
                let tag = nth(at);
                quote!(#tag.event())
            }
            Tag::NotKnown => quote!(#krate::private::StepType::NotKnown),
            Tag::Nothing => quote!(#krate::private::StepType::Nothing),
            Tag::Output(at) => {
                let tag = nth(at);
                quote!(#tag.output())
            }
        };
        quote!(#(#cfgs)* #ty)
    });
    quote! {
        #tags
        match #entry {
            #krate::private::Entered::Run(#context, #given) => { #body }
            #krate::private::Entered::Describe(#told) => {
                #[allow(unused_imports)]
                use #krate::private::AnyTag as _;
                let #never = #told.tell(&[#(#types),*]);
                match #never.await {}
            }
        }
    }
}

/// A parameter, bound to what came for it. All of it stands at the parameter, as if rustc had bound
/// it.
pub(crate) fn bound(parameter: &PatType, mut given: Ident) -> TokenStream {
    let (attrs, pat) = (&parameter.attrs, &parameter.pat);
    given.set_span(place::ours_at(pat.span()));
    let span = given.span();
    quote_spanned!(span=> #(#attrs)* let #pat = #given;)
}

fn nth(at: usize) -> Ident {
    Ident::new(&format!("__tag{at}"), Span::mixed_site())
}
