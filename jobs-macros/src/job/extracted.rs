//! Writes the parameters after the input: how the worker makes them, and how the body takes them.
//! They are parts of a tuple, unless one of them stands under `#[cfg]`, which no part of a tuple can;
//! then they are the fields of a struct.

use super::entry::Taken;
use super::expand::Definition;
use crate::body;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, PatType};

impl Definition<'_> {
    /// What the body is entered with.
    pub(super) fn given(&self, context: &Ident) -> TokenStream {
        let krate = &self.krate;
        let made = |parameter: &PatType| {
            let ty = &parameter.ty;
            quote_spanned! {ty.span()=>
                <#ty as #krate::private::Extract>::extract(#context)?
            }
        };
        if !self.is_bundled() {
            let values = self.shape.extracted.iter().map(made);
            return quote!(#(#values,)*);
        }
        let fields = self.fields().map(|(cfgs, name, parameter)| {
            let value = made(parameter);
            quote!(#(#cfgs)* #name: #value)
        });
        quote!(__Given { #(#fields),* },)
    }

    /// The same in the body.
    pub(super) fn others(&self) -> Taken {
        if !self.is_bundled() {
            let parameters = &self.shape.extracted;
            let types = parameters.iter().map(|parameter| &parameter.ty);
            let names = (0..parameters.len()).map(|at| format!("__given{at}"));
            let names: Vec<Ident> = names
                .map(|name| Ident::new(&name, Span::mixed_site()))
                .collect();
            let bound = parameters.iter().zip(&names);
            let bound = bound.map(|(parameter, name)| body::bound(parameter, name.clone()));
            return Taken {
                names: quote!(#(#names,)*),
                passed: quote!(#(#names,)*),
                types: quote!(#(#types,)*),
                bindings: quote!(#(#bound)*),
                parameters: quote!(#(#parameters,)*),
            };
        }
        let fields = self.fields().map(|(_, name, parameter)| {
            let (attrs, pat) = (&parameter.attrs, &parameter.pat);
            quote!(#(#attrs)* #name: #pat)
        });
        let given = Ident::new("__given", Span::mixed_site());
        let pat = quote!(__Given { #(#fields),* });
        Taken {
            names: quote!(#given,),
            passed: quote!(#given,),
            types: quote!(__Given,),
            bindings: quote!(let #pat = #given;),
            parameters: quote!(#pat: __Given,),
        }
    }

    /// The struct, where there is one.
    pub(super) fn bundle(&self) -> TokenStream {
        if !self.is_bundled() {
            return TokenStream::new();
        }
        let fields = self.fields().map(|(cfgs, name, parameter)| {
            let ty = &parameter.ty;
            quote!(#(#cfgs)* #name: #ty)
        });
        quote!(struct __Given { #(#fields),* })
    }

    fn is_bundled(&self) -> bool {
        let mut parameters = self.shape.extracted.iter();
        parameters.any(|parameter| !body::cfgs_of(&parameter.attrs).is_empty())
    }

    fn fields(&self) -> impl Iterator<Item = (Vec<Attribute>, Ident, &PatType)> {
        let parameters = self.shape.extracted.iter().enumerate();
        parameters.map(|(at, parameter)| {
            let cfgs = body::cfgs_of(&parameter.attrs);
            (cfgs, format_ident!("given_{at}"), parameter)
        })
    }
}
