//! `steps = bill(&order)`: the call of a `#[steps]` function, which is told apart from other calls
//! because the list of the steps of a job refers to it.

use super::Policy;
use super::call::{StepOption, Value};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Path, PathArguments, Token};

pub(super) struct HelperCall {
    pub(super) path: Path,
    pub(super) arguments: Punctuated<Expr, Token![,]>,
}

pub(super) fn read(option: &StepOption) -> syn::Result<HelperCall> {
    let refused = |span: Span| {
        let text = "`steps` takes the call of a `#[steps]` function by its path and nothing around it, as in `steps = bill(&order)`, so that its steps are known when the program is compiled";
        Err(syn::Error::new(span, text))
    };
    let Value::Expr(value) = &option.value else {
        return refused(option.key.span());
    };
    let Expr::Call(call) = value else {
        return refused(value.span());
    };
    let Expr::Path(ExprPath {
        qself: None, path, ..
    }) = &*call.func
    else {
        return refused(call.func.span());
    };
    let is_generic = |path: &Path| {
        let mut segments = path.segments.iter();
        segments.any(|segment| !matches!(segment.arguments, PathArguments::None))
    };
    if is_generic(path) {
        return refused(path.span());
    }
    Ok(HelperCall {
        path: path.clone(),
        arguments: call.args.clone(),
    })
}

impl HelperCall {
    /// A helper that calls itself: its list of steps would hold itself.
    pub(super) fn recursion(&self, policy: &Policy) -> Option<syn::Error> {
        let own = policy.helper.as_ref()?;
        let mut segments = self.path.segments.iter().rev();
        let last = segments.next()?;
        let around = segments.next();
        let is_own = last.ident == *own && around.is_none_or(|outer| outer.ident == "self");
        is_own.then(|| {
            syn::Error::new(
                last.ident.span(),
                format!("`{own}` calls itself: the steps of a helper are one list, known when the program is compiled; use a loop, and put what differs into the names"),
            )
        })
    }

    /// The helper as a type, with a lifetime for the context that it is given.
    pub(super) fn with_lifetime(&self, lifetime: &TokenStream) -> TokenStream {
        let path = &self.path;
        quote!(#path<#lifetime>)
    }
}
