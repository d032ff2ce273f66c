//! Writes out the implementation of `Event` and the claim on the event's name.

use super::args::{Args, Key};
use crate::body;
use crate::claim::{self, Kind};
use crate::runtime::Runtime;
use crate::type_def::type_def;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

pub(super) fn event(ident: &Ident, args: &Args) -> TokenStream {
    let Runtime { krate, import } = Runtime::named(args.krate.as_ref(), ident);
    let name = match &args.name {
        Some(name) => name.value(),
        None => ident.unraw().to_string(),
    };
    let key = match &args.key {
        Key::Type(ty) => quote!(#ty),
        Key::None | Key::Missing => quote!(#krate::private::NoKey),
    };
    let ttl = match args.ttl_millis {
        Some(millis) => {
            let millis = body::millis(&krate, millis);
            quote!(::core::option::Option::Some(#millis))
        }
        None => quote!(::core::option::Option::None),
    };
    let was = &args.was;
    let span = args.name.as_ref().map_or(ident.span(), |name| name.span());
    let mut here = claim::in_crate(Kind::Event, &name, span);
    let mut between = claim::between_crates(&krate, Kind::Event, &name);
    for former in was.iter().filter(|former| former.value() != name) {
        here.extend(claim::in_crate(Kind::Event, &former.value(), former.span()));
        between.extend(claim::between_crates(&krate, Kind::Event, &former.value()));
    }
    let payload = type_def(&krate, &quote!(#ident), ident.span());
    quote! {
        #import
        #[automatically_derived]
        impl #krate::Event for #ident {
            type Key = #key;
            const NAME: &'static ::core::primitive::str = #name;
            const WAS: &'static [&'static ::core::primitive::str] = &[#(#was),*];
            const TTL: ::core::option::Option<#krate::private::Millis> = #ttl;
            fn def() -> &'static #krate::private::EventDef {
                #krate::private::register! { EVENTS_V0: EventDef = #krate::private::EventDef {
                    name: #name,
                    was: &[#(#was),*],
                    krate: ::core::env!("CARGO_PKG_NAME"),
                    version: ::core::env!("CARGO_PKG_VERSION"),
                    file: ::core::file!(),
                    line: ::core::line!(),
                    payload: #payload,
                    key_type: #krate::private::key_type::<#ident>,
                    ttl: #ttl,
                } }
            }
        }
        #here
        #between
    }
}
