//! Writes what a definition says about a type whose values are stored: its name, and its schema if
//! it has one. Whether it has is found by rustc, in `jobs-runtime/src/schema.rs`.

use crate::place;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// A constant expression. All of it stands at `span`, where an error about the type is reported
/// already, so that rustc does not repeat it.
pub(crate) fn type_def(krate: &TokenStream, ty: &TokenStream, span: Span) -> TokenStream {
    let krate = place::respan(krate.clone(), span);
    quote_spanned! {span=> {
        #[allow(unused_imports)]
        use #krate::private::NotKnown as _;
        #krate::private::TypeDef {
            name: ::core::any::type_name::<#ty>,
            schema: <#krate::private::Probe<#ty>>::SCHEMA,
        }
    } }
}
