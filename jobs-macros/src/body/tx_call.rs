//! `tx = |tx: &mut SqliteTx| debit(tx, &input)`: what looks like a closure is a name and a type for
//! the transaction, and what is done in it. It is written out in place, so it borrows as any other
//! body does.

use super::call::{StepBody, StepOption, Value};
use crate::errors::Errors;
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Pat, PatType, ReturnType, Type};

pub(super) struct TxCall {
    pub(super) pat: Pat,
    pub(super) ty: Type,
    pub(super) body: StepBody,
}

const FORM: &str = "`tx` takes the transaction and what is done in it, as in `tx = |tx: &mut SqliteTx| debit(tx, &input)`";

pub(super) fn read(option: &StepOption, errors: &mut Errors) -> syn::Result<TxCall> {
    let refused = |span: Span, rest: &str| Err(syn::Error::new(span, format!("{FORM}{rest}")));
    let closure = match &option.value {
        Value::Expr(Expr::Closure(closure)) => closure,
        Value::Expr(other) => return refused(other.span(), ""),
        _ => return refused(option.key.span(), ""),
    };
    refuse_words(closure, errors);
    let mut inputs = closure.inputs.iter();
    let (Some(input), None) = (inputs.next(), inputs.next()) else {
        return refused(closure.span(), "; give it one parameter");
    };
    let untyped = "; write the type, because it says which store the step needs";
    let Pat::Type(PatType { pat, ty, .. }) = input else {
        return refused(input.span(), untyped);
    };
    let Type::Reference(reference) = &**ty else {
        return refused(
            ty.span(),
            "; the worker ends the transaction, so it is lent as `&mut`",
        );
    };
    if reference.mutability.is_none() {
        return refused(ty.span(), "; to write in it takes `&mut`");
    }
    let tokens = closure.body.to_token_stream();
    Ok(TxCall {
        pat: (**pat).clone(),
        ty: (*reference.elem).clone(),
        body: StepBody {
            moves: None,
            is_block: super::tokens::is_one_block(&tokens),
            tokens,
            parsed: Some((*closure.body).clone()),
        },
    })
}

fn refuse_words(closure: &ExprClosure, errors: &mut Errors) {
    if let Some(word) = &closure.capture {
        errors.at(
            word.span,
            "a `tx` step borrows what it needs, so that it can be run again after a rollback; remove `move`",
        );
    }
    if let Some(word) = &closure.asyncness {
        errors.at(
            word.span,
            "what is done in a `tx` step is awaited anyway; remove `async`",
        );
    }
    if let ReturnType::Type(_, ty) = &closure.output {
        errors.over(
            ty,
            "what a `tx` step gives follows from what is done in it; remove the return type",
        );
    }
}
