//! Reads the form of a step that enqueues a child job: its request, and whether it is detached.

use super::call::{StepBody, StepCall, StepOption, Value};
use super::form::{needs_value, packed};
use super::tokens;
use crate::errors::Errors;
use proc_macro2::{Span, TokenStream, TokenTree};

pub(super) struct Child {
    pub(super) request: StepBody,
    pub(super) detached: bool,
}

pub(super) fn read(call: StepCall, errors: &mut Errors) -> syn::Result<Child> {
    let (mut request, mut detached) = (None, false);
    for StepOption { key, value } in call.options {
        match (key.to_string().as_str(), value) {
            ("job", Value::Request(body)) => request = Some(body),
            ("job", _) => return Err(needs_value(&key)),
            ("detached", Value::Flag) => detached = true,
            ("detached", _) => {
                errors.at(key.span(), "`detached` stands alone, without a value");
            }
            _ => {}
        }
    }
    let request = request.ok_or_else(|| {
        syn::Error::new(
            Span::call_site(),
            "this step names no job; write `job = ship(parcel)`",
        )
    })?;
    if let Some(span) = tokens::find_await(&request.tokens) {
        let text = "the request of a child is made without waiting, so that a replay need not make it; await this in a step of its own, before";
        return Err(syn::Error::new(span, text));
    }
    Ok(Child { request, detached })
}

impl Child {
    /// What stands before the first parenthesis: the path of the job, in the request as most write
    /// it.
    pub(super) fn asked_for(&self) -> String {
        let tokens = self.request.tokens.clone().into_iter();
        let path: TokenStream = tokens
            .take_while(|token| !matches!(token, TokenTree::Group(_)))
            .collect();
        packed(&path)
    }
}
