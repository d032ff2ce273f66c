//! What stands in a step and is plainly no future, where the compiler's words would not say what to
//! write instead.

use quote::quote;
use syn::Expr;

/// Puts an error in the place of the body if it is awaited already, or is a closure. True if so.
pub(super) fn refuse(body: &mut Expr) -> bool {
    let error = match body {
        Expr::Await(wait) => syn::Error::new(
            wait.await_token.span,
            "a step is given the future itself, so that a replay need not run it; remove this `.await`",
        ),
        Expr::Closure(closure) => syn::Error::new(
            closure.inputs_begin.span,
            "a step is given a future, and a closure is none; write a block, `step!(\"name\", { .. Ok(..) })`",
        ),
        _ => return false,
    };
    let error = error.into_compile_error();
    *body = Expr::Verbatim(quote!({ let _ = async { #body; }; #error }));
    true
}
