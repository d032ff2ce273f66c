//! `effect = at_most_once`, and what does not go with it.

use super::call::{StepCall, StepOption, Value};
use crate::errors::Errors;
use syn::Expr;

/// Whether the step runs at most once.
pub(super) fn read(option: &StepOption, call: &StepCall, errors: &mut Errors) -> bool {
    let is_known = matches!(&option.value, Value::Expr(Expr::Path(word)) if word.path.is_ident("at_most_once"));
    if !is_known {
        errors.at(
            option.key.span(),
            "`effect` takes `at_most_once` and nothing else: such a step is interrupted instead of repeated if its worker dies",
        );
        return false;
    }
    for name in ["attempts", "backoff"] {
        if let Some(again) = call.option(name) {
            let text = format!(
                "a step that runs at most once cannot be tried again; remove `{name}`, or remove `effect = at_most_once`"
            );
            errors.at(again.key.span(), text);
        }
    }
    true
}
