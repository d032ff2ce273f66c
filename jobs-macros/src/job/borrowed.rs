//! References where a value is stored. rustc would say that a lifetime is "not general enough",
//! so it is said here, as far as the types are written out.

use super::check::Shape;
use crate::errors::Errors;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type, TypeReference};

/// The reference that is part of a type's value, if one is.
fn within(ty: &Type) -> Option<&TypeReference> {
    match ty {
        Type::Array(list) => within(&list.elem),
        Type::Group(group) => within(&group.elem),
        Type::Paren(paren) => within(&paren.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => within(ty),
                _ => None,
            })
        }
        Type::Reference(reference) => Some(reference),
        Type::Slice(list) => within(&list.elem),
        Type::Tuple(list) => list.elems.iter().find_map(within),
        _ => None,
    }
}

/// The output of `-> Result<Output, ..>`.
fn output(returned: &Type) -> Option<&Type> {
    let Type::Path(path) = returned else {
        return None;
    };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// True if a job's input or output holds a reference; then the errors say so.
pub(super) fn refuse(shape: &Shape, errors: &mut Errors) -> bool {
    let input = shape.input.as_ref().and_then(|input| within(&input.stored));
    if let Some(reference) = input {
        errors.over(
            reference,
            format!("a `#[job]` owns its input, which is read back from the store, and a reference points into nothing then; {}", remedy(reference)),
        );
    }
    let output = shape.returns.as_ref().and_then(output).and_then(within);
    if let Some(reference) = output {
        errors.over(
            reference,
            format!(
                "a `#[job]` stores its output, and a reference cannot be read back; {}",
                remedy(reference)
            ),
        );
    }
    input.is_some() || output.is_some()
}

pub(super) fn remedy(reference: &TypeReference) -> String {
    match &*reference.elem {
        Type::Slice(list) => {
            let element = list.elem.to_token_stream();
            format!("use `Vec<{element}>`")
        }
        Type::Path(path) if path.path.is_ident("str") => "use `String`".to_owned(),
        Type::Path(path) => format!("use `{}` itself", path.to_token_stream()),
        _ => "use an owned type".to_owned(),
    }
}
