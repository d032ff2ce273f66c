//! Writes out a job: the function that makes a request, the type of the same name that
//! implements `Job`, and what runs the body. The body itself is written in `entry`, what is
//! registered of the job at link time in `registered`.

use super::args::{Args, Idempotency};
use super::attributes::Place;
use super::check::{Input, Shape};
use super::item::JobFn;
use crate::body::{self, Marked};
use crate::place;
use crate::template::Template;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

pub(super) struct Definition<'a> {
    pub(super) krate: TokenStream,
    /// The durable name.
    pub(super) name: String,
    pub(super) args: &'a Args,
    pub(super) job: &'a JobFn,
    pub(super) shape: &'a Shape,
    pub(super) marked: &'a Marked,
}

impl Definition<'_> {
    pub(super) fn expand(&self) -> TokenStream {
        if !self.shape.is_expandable || self.shape.is_borrowed {
            return self.as_plain_fn();
        }
        let (request, marker, implementation) =
            (self.request_fn(), self.marker_type(), self.implementation());
        let (run, body, bundle) = (self.run_fn(), self.body_fns(), self.bundle());
        let (claims_here, claims) = self.claims();
        let (lints, warnings) = (self.attrs(Place::Inside), &self.marked.warnings);
        quote! {
            #request
            #marker
            #claims_here
            #(#lints)*
            #[allow(non_local_definitions, clippy::needless_update)]
            const _: () = {
                #implementation
                #bundle
                #run
                #body
                #(#warnings)*
                #claims
            };
        }
    }

    /// `welcome(input)` gives a request, to be enqueued.
    fn request_fn(&self) -> TokenStream {
        let (krate, vis, ident) = (&self.krate, &self.job.vis, &self.job.sig.ident);
        let attrs = self.attrs(Place::Function);
        let input = Ident::new("input", Span::mixed_site());
        let (parameter, value) = match &self.shape.input {
            None => (TokenStream::new(), quote!(#krate::Request::new(()))),
            Some(Input {
                parameter,
                by_reference: true,
                ..
            }) => {
                let ty = &parameter.ty;
                (quote!(_: #ty), quote!(::core::unreachable!()))
            }
            Some(Input { stored, .. }) => (
                quote!(#input: #stored),
                quote!(#krate::Request::new(#input)),
            ),
        };
        let (mark, value) = match self.args.outbox {
            true => (
                quote!(, #krate::InTransaction),
                quote!(#krate::Request::outbox_required(#value)),
            ),
            false => (TokenStream::new(), value),
        };
        quote! {
            #(#attrs)*
            #[allow(dead_code)]
            #vis fn #ident(#parameter) -> #krate::Request<#ident #mark> { #value }
        }
    }

    /// With braces, so that it takes the name among the types only.
    fn marker_type(&self) -> TokenStream {
        let (vis, ident) = (&self.job.vis, &self.job.sig.ident);
        let attrs = self.attrs(Place::Type);
        quote! {
            #(#attrs)*
            #[allow(
                dead_code,
                missing_copy_implementations,
                missing_debug_implementations,
                non_camel_case_types
            )]
            #vis struct #ident {}
        }
    }

    fn implementation(&self) -> TokenStream {
        let (krate, ident) = (&self.krate, &self.job.sig.ident);
        let (input, returned) = (self.input_type(), self.return_type());
        let argument = Ident::new("__input", Span::mixed_site());
        let key = self.key(&argument);
        let tenant = self.tenant(&argument);
        let limit_key = self.limit_key(&argument);
        let definition = self.definition();
        let task = self
            .args
            .is_task()
            .then(|| quote!(impl #krate::Task for #ident {}));
        let output = quote_spanned! {returned.span()=>
            type Output = <#returned as #krate::private::JobReturn>::Ok;
        };
        // At the types, because rustc says there that one of them is private.
        let stored = quote_spanned!(input.span()=> type Input = #input;);
        quote! {
            #task
            impl #krate::Job for #ident {
                #stored
                #output
                fn def() -> &'static #krate::private::JobDef {
                    #definition
                }
                fn key(
                    #argument: &Self::Input,
                ) -> ::core::option::Option<::std::string::String> {
                    #key
                }
                fn tenant(
                    #argument: &Self::Input,
                ) -> ::core::option::Option<::std::string::String> {
                    #tenant
                }
                #limit_key
            }
        }
    }

    fn key(&self, argument: &Ident) -> TokenStream {
        let (krate, input) = (&self.krate, self.input_type());
        if self.args.is_task() && self.shape.input.is_some() {
            let at_type = place::respan(krate.clone(), input.span());
            return quote_spanned! {input.span()=>
                ::core::option::Option::Some(#at_type::private::tick_key::<#input>(#argument))
            };
        }
        match &self.args.idempotency {
            Some(Idempotency::Template(template)) => self.rendered(template, argument),
            Some(Idempotency::Closure(closure)) => quote_spanned! {closure.body.span()=>
                ::core::option::Option::Some(
                    #krate::private::key_of::<#input, _>(#argument, #closure)
                )
            },
            Some(Idempotency::None | Idempotency::Refused) | None => {
                quote!({ let _ = #argument; ::core::option::Option::None })
            }
        }
    }

    fn tenant(&self, argument: &Ident) -> TokenStream {
        match &self.args.tenant {
            Some(template) => self.rendered(template, argument),
            None => quote!({ let _ = #argument; ::core::option::Option::None }),
        }
    }

    /// Only for a job with a limit: the others have none by the trait.
    fn limit_key(&self, argument: &Ident) -> Option<TokenStream> {
        let key = match &self.args.limit.as_ref()?.key {
            Some(template) => self.rendered(template, argument),
            // All jobs of the definition are counted together.
            None => quote!({
                let _ = #argument;
                ::core::option::Option::Some(::std::string::String::new())
            }),
        };
        Some(quote! {
            fn limit_key(
                #argument: &Self::Input,
            ) -> ::core::option::Option<::std::string::String> {
                #key
            }
        })
    }

    fn rendered(&self, template: &Template, argument: &Ident) -> TokenStream {
        let rendered = body::rendered(&self.krate, template);
        let root = self.shape.input.as_ref().map(|input| {
            let mut root = input.root.clone();
            root.set_span(template.literal.span());
            root
        });
        quote! {
            #[allow(unused_variables)]
            let #root = #argument;
            ::core::option::Option::Some(#rendered)
        }
    }

    /// Decode the input, run the body, encode what it returns.
    fn run_fn(&self) -> TokenStream {
        let (krate, ident) = (&self.krate, &self.job.sig.ident);
        let context = body::context();
        let input = Ident::new("__input", Span::mixed_site());
        let call = Ident::new("__call", Span::mixed_site());
        let given = self.shape.input.as_ref().map(|_| quote!(#input,));
        let given_too = self.given(&context);
        let returned = self.return_type();
        let at_return = place::respan(krate.clone(), returned.span());
        let (output, encode) = (
            quote_spanned! {returned.span()=> <#returned as #at_return::private::JobReturn>::into_output },
            quote_spanned! {returned.span()=> #at_return::private::encode::<#ident> },
        );
        // What is not `Send` in the body is reported at the job's name.
        let span = place::ours_at(ident.span());
        let run = quote_spanned! {span=>
            #krate::private::run::<#ident, _, _, _, _>(#call, #output, #encode, |#context, #input| {
                let _ = (&#context, &#input);
                ::core::result::Result::Ok((#given #given_too))
            }, __job_entry)
        };
        quote! {
            fn __job_run<'__job>(
                #call: #krate::private::Call<'__job>,
            ) -> #krate::private::RunFuture<'__job> {
                #run
            }
        }
    }

    /// The item as the function it was, for what can be no job.
    fn as_plain_fn(&self) -> TokenStream {
        let (krate, vis, body) = (&self.krate, &self.job.vis, &self.marked.tokens);
        let context = body::context();
        let tags = body::declared(krate, self.marked);
        let mut sig = self.job.sig.clone();
        sig.asyncness = Some(syn::Token![async](sig.fn_token.span));
        let attrs = &self.job.attrs;
        quote! {
            #(#attrs)*
            #[allow(unused)]
            #vis #sig {
                let #context = #krate::private::no_context();
                #tags
                #body
            }
        }
    }

    pub(super) fn input_type(&self) -> TokenStream {
        match &self.shape.input {
            Some(input) => input.stored.to_token_stream(),
            None => quote!(()),
        }
    }

    pub(super) fn return_type(&self) -> TokenStream {
        let krate = &self.krate;
        match &self.shape.returns {
            Some(returned) => Type::to_token_stream(returned),
            None => quote!(::core::result::Result<(), #krate::private::Failure>),
        }
    }
}
