//! Writes out a helper. Its name stands for two things: among the types for one that knows its
//! steps and holds the context of a call, which `step!` uses; among the values for a function that
//! tells whoever calls it otherwise how it is called.

use crate::body::{self, Marked};
use crate::job::{Allowed, JobFn, Place, attributes, is_foreign};
use crate::place;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{FnArg, PatType, ReturnType, Type};

pub(super) struct Definition<'a> {
    pub(super) krate: TokenStream,
    pub(super) function: &'a JobFn,
    pub(super) marked: &'a Marked,
    pub(super) allowed: Allowed,
}

/// Whether the body can be entered without arguments, to describe itself: not if another macro reads
/// its parameters, nor if one of them stands under `#[cfg]`, because then it can stand in no tuple.
pub(super) fn is_described(function: &JobFn) -> bool {
    let is_conditional = |parameter: &FnArg| match parameter {
        FnArg::Typed(parameter) => !body::cfgs_of(&parameter.attrs).is_empty(),
        FnArg::Receiver(_) => false,
    };
    !is_foreign(&function.attrs) && !function.sig.inputs.iter().any(is_conditional)
}

impl Definition<'_> {
    pub(super) fn expand(&self, is_expandable: bool) -> TokenStream {
        if !is_expandable {
            return self.as_plain_fn();
        }
        let (outside, marker) = (self.outside_fn(), self.marker_type());
        let (helper, call) = (self.helper_impl(), self.call_impl());
        let lints = attributes(&self.function.attrs, Place::Inside);
        let warnings = &self.marked.warnings;
        quote! {
            #outside
            #marker
            #(#lints)*
            #[allow(non_local_definitions, clippy::needless_update)]
            const _: () = {
                #helper
                #call
                #(#warnings)*
            };
        }
    }

    /// What `bill(&order)` is outside a `step!`: an error that says how to call it.
    fn outside_fn(&self) -> TokenStream {
        let (krate, vis, ident) = (&self.krate, &self.function.vis, &self.function.sig.ident);
        let attrs = attributes(&self.function.attrs, Place::Function);
        let types = self.types();
        let generics = &self.function.sig.generics;
        let returned = self.returned();
        quote! {
            #(#attrs)*
            #[allow(dead_code, clippy::extra_unused_lifetimes, clippy::too_many_arguments)]
            #vis fn #ident #generics(#(#types),*) -> #krate::private::Outside<#returned>
            where
                for<'__step> #krate::private::Here: #krate::private::CalledByStep<'__step>,
            {
                #krate::private::Outside::new()
            }
        }
    }

    fn marker_type(&self) -> TokenStream {
        let (krate, vis, ident) = (&self.krate, &self.function.vis, &self.function.sig.ident);
        let attrs = attributes(&self.function.attrs, Place::Type);
        quote! {
            #(#attrs)*
            #[allow(
                dead_code,
                missing_copy_implementations,
                missing_debug_implementations,
                non_camel_case_types
            )]
            #vis struct #ident<'__job> {
                __cx: #krate::private::JobCx<'__job>,
            }
        }
    }

    fn helper_impl(&self) -> TokenStream {
        let (krate, ident) = (&self.krate, &self.function.sig.ident);
        let context = body::context();
        let steps = body::step_defs(krate, &self.marked.steps);
        let allowed = self.allowed.fields();
        let types = is_described(self.function)
            .then(|| quote!(types: || #krate::private::describe(Self::__body),));
        quote! {
            impl<'__job> #krate::private::Helper<'__job> for #ident<'__job> {
                fn def() -> #krate::private::HelperDef {
                    const STEPS: &[#krate::private::StepDef] = #steps;
                    #krate::private::HelperDef {
                        file: ::core::file!(),
                        steps: STEPS,
                        #(#allowed,)*
                        #types
                        ..#krate::private::HelperDef::DEFAULT
                    }
                }
                fn within(#context: #krate::private::JobCx<'__job>) -> Self {
                    Self { __cx: #context }
                }
            }
        }
    }

    /// The call as a method, so that an error about its arguments counts them as written; and the
    /// body, which can be entered without them.
    fn call_impl(&self) -> TokenStream {
        if !is_described(self.function) {
            return self.undescribed();
        }
        let (krate, vis, sig) = (&self.krate, &self.function.vis, &self.function.sig);
        let (ident, generics, output) = (&sig.ident, &sig.generics, &sig.output);
        let returned = self.returned();
        let attrs = attributes(&self.function.attrs, Place::Body);
        let (this, call) = self.call();
        let entry = Ident::new("__entry", Span::mixed_site());
        let types: Vec<&Type> = self.parameters().map(|parameter| &*parameter.ty).collect();
        // At the user's parameters, where rustc points when they do not fit.
        let names = self.parameters().enumerate().map(|(at, parameter)| {
            let span = place::ours_at(parameter.pat.span());
            Ident::new(&format!("__given{at}"), span)
        });
        let names: Vec<Ident> = names.collect();
        let bindings = self.parameters().zip(&names);
        let bindings = bindings.map(|(parameter, given)| body::bound(parameter, given.clone()));
        let body = &self.marked.tokens;
        let body = quote!(#(#bindings)* #body);
        let body = body::entered(krate, &entry, &quote!((#(#names,)*)), &body, self.marked);
        quote! {
            impl<'__job> #ident<'__job> {
                #[doc(hidden)]
                #(#attrs)*
                #[allow(clippy::too_many_arguments)]
                #vis fn #call #generics(
                    #this, #(#names: #types),*
                ) -> impl ::core::future::Future<Output = #returned> {
                    Self::__body(#krate::private::Entered::Run(#this.__cx, (#(#names,)*)))
                }

                #(#attrs)*
                async fn __body #generics(
                    #entry: #krate::private::Entered<'__job, (#(#types,)*)>,
                ) #output {
                    #body
                }
            }
        }
    }

    /// The body in the method itself, with the user's own parameters.
    fn undescribed(&self) -> TokenStream {
        let (vis, sig) = (&self.function.vis, &self.function.sig);
        let (ident, generics, inputs) = (&sig.ident, &sig.generics, &sig.inputs);
        let attrs = attributes(&self.function.attrs, Place::Body);
        let (this, call) = self.call();
        let (context, output, body) = (body::context(), &sig.output, &self.marked.tokens);
        quote! {
            impl<'__job> #ident<'__job> {
                #[doc(hidden)]
                #(#attrs)*
                #[allow(clippy::too_many_arguments)]
                #vis async fn #call #generics(#this, #inputs) #output {
                    let #context = #this.__cx;
                    #body
                }
            }
        }
    }

    /// The names of the receiver and of the method. The first is ours, so that a `self` of the
    /// user's stays unknown.
    fn call(&self) -> (Ident, Ident) {
        let ident = &self.function.sig.ident;
        let call = Ident::new("__call", place::theirs_at(ident.span()));
        (Ident::new("self", Span::mixed_site()), call)
    }

    /// The item as the function it was, for what can be no helper.
    fn as_plain_fn(&self) -> TokenStream {
        let (krate, vis, body) = (&self.krate, &self.function.vis, &self.marked.tokens);
        let context = body::context();
        let tags = body::declared(krate, self.marked);
        let mut sig = self.function.sig.clone();
        sig.asyncness = Some(syn::Token![async](sig.fn_token.span));
        let attrs = &self.function.attrs;
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

    /// The parameters, without their names.
    fn types(&self) -> impl Iterator<Item = TokenStream> {
        self.parameters().map(|parameter| {
            let (cfgs, ty) = (body::cfgs_of(&parameter.attrs), &parameter.ty);
            quote!(#(#cfgs)* _: #ty)
        })
    }

    fn parameters(&self) -> impl Iterator<Item = &PatType> {
        let inputs = self.function.sig.inputs.iter();
        inputs.filter_map(|parameter| match parameter {
            FnArg::Typed(parameter) => Some(parameter),
            FnArg::Receiver(_) => None,
        })
    }

    fn returned(&self) -> TokenStream {
        match &self.function.sig.output {
            ReturnType::Type(_, ty) => ty.to_token_stream(),
            ReturnType::Default => quote!(()),
        }
    }
}
