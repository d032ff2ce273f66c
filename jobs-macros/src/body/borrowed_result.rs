//! A step that gives a reference, as far as its words show it. Of the others rustc says that an
//! implementation "is not general enough".

use quote::quote;
use syn::{Block, Expr, ExprLit, Lit, Stmt};

/// Methods that give a part of what they are called on.
const BORROWING: &[&str] = &["as_bytes", "as_slice", "as_str"];

/// Puts an error in the place of a reference that is the value of the body. True if it is one.
pub(super) fn refuse(body: &mut Expr) -> bool {
    match body {
        Expr::Async(block) => refuse_last(&mut block.block),
        Expr::Block(block) => refuse_last(&mut block.block),
        Expr::Call(call) if is_ok(&call.func) && call.args.len() == 1 => {
            call.args.first_mut().is_some_and(refuse_value)
        }
        _ => false,
    }
}

fn refuse_last(block: &mut Block) -> bool {
    match block.stmts.last_mut() {
        Some(Stmt::Expr(value, None)) => refuse(value),
        _ => false,
    }
}

fn refuse_value(value: &mut Expr) -> bool {
    let is_borrowed = match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(_), ..
        })
        | Expr::Reference(_) => true,
        Expr::MethodCall(call) => BORROWING.iter().any(|name| call.method == name),
        _ => false,
    };
    if is_borrowed {
        let text = "a step stores its result, and a reference cannot be read back; give an owned value, with `.to_owned()` for example";
        let error = syn::Error::new_spanned(&*value, text).into_compile_error();
        *value = Expr::Verbatim(quote!({ let _ = #value; #error }));
    }
    is_borrowed
}

fn is_ok(function: &Expr) -> bool {
    match function {
        Expr::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|segment| segment.ident == "Ok")
        }
        _ => false,
    }
}
