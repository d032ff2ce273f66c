//! Whether the body of a step is a call that borrows from nothing but variables. Then the closure
//! around it can give the future as it is; else an `async` block must keep what the call borrows
//! alive. The block is one more function to check and to compile, for each step.

use syn::{Expr, ExprLit, Lit, UnOp};

/// Methods that give an owned value of what they are called on.
const OWNING: &[&str] = &["clone", "to_owned", "to_string"];

pub(super) fn is_simple_call(body: &Expr) -> bool {
    match body {
        Expr::Call(call) => matches!(*call.func, Expr::Path(_)) && call.args.iter().all(is_value),
        Expr::Group(group) => is_simple_call(&group.expr),
        Expr::MethodCall(call) => is_place(&call.receiver) && call.args.iter().all(is_value),
        _ => false,
    }
}

/// A value that no temporary must outlive.
fn is_value(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(binary) => is_value(&binary.left) && is_value(&binary.right),
        Expr::Group(group) => is_value(&group.expr),
        Expr::Lit(ExprLit { lit, .. }) => !matches!(lit, Lit::Verbatim(_)),
        Expr::MethodCall(call) => {
            let is_owning = OWNING.iter().any(|name| call.method == name);
            is_owning && call.args.is_empty() && is_place(&call.receiver)
        }
        Expr::Paren(paren) => is_value(&paren.expr),
        Expr::Reference(reference) => reference.mutability.is_none() && is_place(&reference.expr),
        Expr::Unary(unary) => is_value(&unary.expr),
        other => is_place(other),
    }
}

/// A variable, or what is within one.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Field(field) => is_place(&field.base),
        Expr::Group(group) => is_place(&group.expr),
        Expr::Index(index) => is_place(&index.expr) && is_value(&index.index),
        Expr::Paren(paren) => is_place(&paren.expr),
        Expr::Path(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_place(&unary.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn a_call_on_variables_is_simple() {
        let bodies: [Expr; 6] = [
            parse_quote!(charge(&input.items[0], total + 1, *left)),
            parse_quote!(mailer.send(&input.text, name.clone(), "tea")),
            parse_quote!(self::shop::charge::<u64>(-5, true)),
            parse_quote!(work()),
            parse_quote!(bank.charge((n), !done)),
            parse_quote!(charge(&(*boxed).part, COUNT)),
        ];
        for body in bodies {
            assert!(is_simple_call(&body));
        }
    }

    #[test]
    fn what_borrows_from_a_temporary_or_waits_is_not() {
        let bodies: [Expr; 9] = [
            parse_quote!(charge(&format!("{n}"))),
            parse_quote!(charge(&n.to_string())),
            parse_quote!(charge(name().as_str())),
            parse_quote!(client().charge(n)),
            parse_quote!(charge(next().await)),
            parse_quote!(charge(n?)),
            parse_quote!(charge(&mut list)),
            parse_quote!(async { 5 }),
            parse_quote!(charge(n).then(again)),
        ];
        for body in bodies {
            assert!(!is_simple_call(&body));
        }
    }
}
