//! `steps = bill(&order)`: the call of a `#[steps]` function, which is told apart from other calls
//! because the list of the steps of a job refers to it.

use super::Policy;
use super::call::{StepOption, Value};
use crate::place;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprPath, Ident, Item, Path, PathArguments, Stmt, Token};

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
    /// A helper that cannot stand in the list of steps: one that calls itself would hold itself,
    /// and one that is defined in the body has no name outside of it.
    pub(super) fn unlisted(&self, policy: &Policy, inner: &[Ident]) -> Option<syn::Error> {
        let mut segments = self.path.segments.iter().rev();
        let last = &segments.next()?.ident;
        let around = segments.next();
        if around.is_none() && inner.contains(last) {
            return Some(syn::Error::new(
                last.span(),
                format!(
                    "`{last}` is defined inside this function, and the list of its steps, which stands outside, cannot name it; move `{last}` out"
                ),
            ));
        }
        let is_own = policy.helper.as_ref() == Some(last);
        if is_own && around.is_none_or(|outer| outer.ident == "self") {
            return Some(syn::Error::new(
                last.span(),
                format!(
                    "`{last}` calls itself: the steps of a helper are one list, known when the program is compiled; use a loop, and put what differs into the names"
                ),
            ));
        }
        None
    }

    /// The helper as a type, with a lifetime for the context that it is given.
    pub(super) fn with_lifetime(&self, lifetime: &TokenStream) -> TokenStream {
        let path = &self.path;
        let span = place::theirs_at(path.span());
        let lifetime = place::respan(lifetime.clone(), span);
        quote_spanned!(span=> #path<#lifetime>)
    }
}

/// The helpers that are defined in a body itself.
pub(super) fn defined_in(body: &Block) -> Vec<Ident> {
    let helper = |statement: &Stmt| match statement {
        Stmt::Item(Item::Fn(item)) => {
            let is_helper = item.attrs.iter().any(|attr| {
                let last = attr.path().segments.last();
                last.is_some_and(|segment| segment.ident == "steps")
            });
            is_helper.then(|| item.sig.ident.clone())
        }
        _ => None,
    };
    body.stmts.iter().filter_map(helper).collect()
}
