//! The expressions of a checked form, for those that look at them or mark steps in them.

use super::form::{Form, Time};
use proc_macro2::TokenStream;
use syn::Expr;

/// Everything the body of the job evaluates for this step outside the step's own future.
pub(super) fn evaluated_outside(form: &mut Form) -> Vec<&mut Expr> {
    fn computed(time: &mut Option<Time>) -> Option<&mut Expr> {
        match time {
            Some(Time::Computed(expr)) => Some(expr),
            Some(Time::Millis(_)) | None => None,
        }
    }
    match form {
        Form::Child(_) => Vec::new(),
        Form::Helper(call) => call.arguments.iter_mut().collect(),
        Form::Run(run) => run
            .attempts
            .iter_mut()
            .chain(computed(&mut run.timeout))
            .collect(),
        Form::Sleep(Time::Computed(expr)) | Form::SleepUntil(expr) => vec![expr],
        Form::Sleep(Time::Millis(_)) => Vec::new(),
        Form::Wait(wait) => wait
            .key
            .iter_mut()
            .chain(computed(&mut wait.timeout))
            .collect(),
    }
}

/// What the step runs, if it runs anything of the user's.
pub(super) fn body(form: &mut Form) -> Option<&mut TokenStream> {
    match form {
        Form::Child(child) => Some(&mut child.request.tokens),
        Form::Run(run) => Some(&mut run.body.tokens),
        Form::Helper(_) | Form::Sleep(_) | Form::SleepUntil(_) | Form::Wait(_) => None,
    }
}
