//! Checks the signature of a helper. What it takes and gives is not stored, so it may be of any
//! type; only the list of its steps must be known.

use crate::errors::Errors;
use crate::job::JobFn;
use syn::{FnArg, GenericParam, ReturnType, Safety, Type};

/// Whether a helper can be made of the item at all.
pub(super) fn signature(function: &JobFn, errors: &mut Errors) -> bool {
    let sig = &function.sig;
    let mut is_expandable = true;
    if sig.asyncness.is_none() {
        errors.at(
            sig.fn_token.span,
            "a `#[steps]` function is an `async fn`: its steps are awaited; write `async fn`",
        );
    }
    if let Some(word) = &sig.constness {
        errors.at(
            word.span,
            "a `#[steps]` function cannot be `const`: it runs in a job; remove `const`",
        );
    }
    if let Safety::Unsafe(word) = &sig.safety {
        errors.at(
            word.span,
            "a `#[steps]` function cannot be `unsafe`: a replay could not keep its promise; remove `unsafe`",
        );
    }
    if let Some(abi) = &sig.abi {
        errors.over(
            abi,
            "a `#[steps]` function cannot be `extern`: only a job calls it; remove it",
        );
    }
    let is_lifetime = |parameter: &GenericParam| matches!(parameter, GenericParam::Lifetime(_));
    let generic = "a `#[steps]` function cannot be generic: its steps are one list, written down when the program is compiled; name the types";
    if !sig.generics.params.iter().all(is_lifetime) || sig.generics.where_clause.is_some() {
        is_expandable = false;
        errors.over(&sig.generics, generic);
    }
    for parameter in &sig.inputs {
        match parameter {
            FnArg::Receiver(receiver) => {
                is_expandable = false;
                errors.over(
                    receiver,
                    "a `#[steps]` function is a free function, named by its path in `step!(.., steps = ..)`; take what it needs as a parameter, as in `order: &Order`",
                );
            }
            FnArg::Typed(parameter) => {
                if let Type::ImplTrait(ty) = &*parameter.ty {
                    is_expandable = false;
                    errors.over(ty, generic);
                }
            }
        }
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && let Type::ImplTrait(ty) = &**ty
    {
        is_expandable = false;
        errors.over(
            ty,
            "a `#[steps]` function gives a type that has a name; write it instead of `impl ..`",
        );
    }
    is_expandable
}
