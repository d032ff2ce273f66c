//! Writes of a step's body to variables outside of it. rustc refuses them too, with two errors
//! about closures that the user did not write; here it is said what would be lost. What cannot be
//! seen in the words of the body (a call that writes) is left to rustc.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprAsync, ExprClosure, Ident, Item, PatIdent, UnOp};

/// Methods of the collections and of texts that write.
const WRITING: &[&str] = &[
    "append",
    "clear",
    "drain",
    "entry",
    "extend",
    "insert",
    "pop",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "remove",
    "retain",
    "reverse",
    "sort",
    "truncate",
];

/// The names that a piece of code binds, and those among them that are `mut`.
#[derive(Default)]
pub(super) struct Bound {
    all: BTreeSet<String>,
    mutable: BTreeSet<String>,
}

impl Bound {
    pub(super) fn read(&mut self, code: &mut impl Visited) {
        code.visit(self);
    }
}

/// What can be walked for the names it binds.
pub(super) trait Visited {
    fn visit(&mut self, by: &mut impl VisitMut);
}

impl Visited for syn::Block {
    fn visit(&mut self, by: &mut impl VisitMut) {
        by.visit_block_mut(self);
    }
}

impl Visited for Expr {
    fn visit(&mut self, by: &mut impl VisitMut) {
        by.visit_expr_mut(self);
    }
}

impl Visited for syn::Pat {
    fn visit(&mut self, by: &mut impl VisitMut) {
        by.visit_pat_mut(self);
    }
}

impl Visited for syn::Signature {
    fn visit(&mut self, by: &mut impl VisitMut) {
        by.visit_signature_mut(self);
    }
}

impl VisitMut for Bound {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        let name = pat.ident.to_string();
        if pat.mutability.is_some() {
            self.mutable.insert(name.clone());
        }
        self.all.insert(name);
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}

/// Puts an error in the place of each write to a variable that is bound in `outside` and not
/// `inside`. In its place, because then rustc looks no further at borrows. True if there was one.
pub(super) fn refuse(body: &mut Expr, inside: &Bound, outside: &Bound) -> bool {
    let mut finder = Finder {
        inside,
        outside,
        found: false,
    };
    finder.visit_expr_mut(body);
    finder.found
}

struct Finder<'a> {
    inside: &'a Bound,
    outside: &'a Bound,
    found: bool,
}

impl Finder<'_> {
    fn lost<'e>(&self, expr: &'e Expr) -> Option<&'e Ident> {
        let name = match expr {
            Expr::Assign(assign) => root(&assign.left)?,
            Expr::Binary(binary) if is_assignment(&binary.op) => root(&binary.left)?,
            Expr::MethodCall(call) => {
                let name = direct(&call.receiver)?;
                let writes = WRITING.iter().any(|method| call.method == method);
                if !writes || !self.outside.mutable.contains(&name.to_string()) {
                    return None;
                }
                name
            }
            Expr::Reference(reference) if reference.mutability.is_some() => root(&reference.expr)?,
            _ => return None,
        };
        let text = name.to_string();
        let is_outside = self.outside.all.contains(&text) && !self.inside.all.contains(&text);
        is_outside.then_some(name)
    }
}

impl VisitMut for Finder<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let Some(name) = self.lost(expr) else {
            return visit_mut::visit_expr_mut(self, expr);
        };
        let text = format!(
            "this step writes to `{name}`, which is declared outside of it: a replay does not run the step again, and the write would be lost; let the step give the value, as in `let {name} = step!(..).await?`"
        );
        let error = syn::Error::new(name.span(), text).into_compile_error();
        let used = used(expr);
        self.found = true;
        *expr = Expr::Verbatim(quote!({ let _ = (#used); #error }));
    }

    // What moves in has a copy of its own, or is gone outside.
    fn visit_expr_async_mut(&mut self, block: &mut ExprAsync) {
        if block.capture.is_none() {
            visit_mut::visit_expr_async_mut(self, block);
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        if closure.capture.is_none() {
            visit_mut::visit_expr_closure_mut(self, closure);
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// What a refused expression read, so that it stays used.
fn used(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Assign(assign) => assign.right.to_token_stream(),
        Expr::Binary(binary) => binary.right.to_token_stream(),
        Expr::MethodCall(call) => call.args.to_token_stream(),
        _ => TokenStream::new(),
    }
}

/// The variable that a place is part of.
fn root(place: &Expr) -> Option<&Ident> {
    match place {
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::Paren(paren) => root(&paren.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => root(&unary.expr),
        other => direct(other),
    }
}

fn direct(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
