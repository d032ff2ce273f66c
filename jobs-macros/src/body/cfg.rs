//! `#[cfg]` on statements and arms. A macro is given the code before it is decided what of it is
//! compiled, so the list of steps takes the conditions along.

use super::Site;
use quote::ToTokens;
use syn::{Attribute, Expr, Stmt};

/// The conditions among the attributes.
pub(crate) fn of(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// Whether rustc may leave out what stands under this attribute.
pub(super) fn is_condition(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")
}

pub(super) fn of_statement(statement: &Stmt) -> Vec<Attribute> {
    match statement {
        Stmt::Expr(expr, _) => of(attributes(expr)),
        Stmt::Local(local) => of(&local.attrs),
        Stmt::Macro(mac) => of(&mac.attrs),
        Stmt::Item(_) => Vec::new(),
    }
}

/// The attributes of a statement stand at the leftmost of its expressions.
fn attributes(expr: &Expr) -> &[Attribute] {
    match expr {
        Expr::Assign(expr) => attributes(&expr.left),
        Expr::Binary(expr) => attributes(&expr.left),
        Expr::Cast(expr) => attributes(&expr.expr),
        Expr::Async(expr) => &expr.attrs,
        Expr::Await(expr) => &expr.attrs,
        Expr::Block(expr) => &expr.attrs,
        Expr::Call(expr) => &expr.attrs,
        Expr::Field(expr) => &expr.attrs,
        Expr::ForLoop(expr) => &expr.attrs,
        Expr::If(expr) => &expr.attrs,
        Expr::Index(expr) => &expr.attrs,
        Expr::Loop(expr) => &expr.attrs,
        Expr::Macro(expr) => &expr.attrs,
        Expr::Match(expr) => &expr.attrs,
        Expr::MethodCall(expr) => &expr.attrs,
        Expr::Path(expr) => &expr.attrs,
        Expr::Return(expr) => &expr.attrs,
        Expr::Try(expr) => &expr.attrs,
        Expr::Unary(expr) => &expr.attrs,
        Expr::While(expr) => &expr.attrs,
        _ => &[],
    }
}

impl Site {
    /// Whether both can be compiled at once, as far as the words of their conditions show it.
    pub(super) fn meets(&self, cfgs: &[Attribute]) -> bool {
        let words = |list: &[Attribute]| -> Vec<String> {
            list.iter()
                .map(|attr| attr.to_token_stream().to_string())
                .collect()
        };
        self.cfgs.is_empty() || cfgs.is_empty() || words(&self.cfgs) == words(cfgs)
    }
}
