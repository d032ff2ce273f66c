//! The branches of `tokio::select!`, parsed far enough to look into them and written back as
//! they were.

use super::marker::Marker;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, Pat, Token};

pub(super) struct Branches(Vec<Branch>);

enum Branch {
    Else {
        word: Token![else],
        handler: Expr,
    },
    Wait {
        pat: Pat,
        future: Box<Expr>,
        condition: Option<Box<Expr>>,
        handler: Box<Expr>,
    },
}

impl Branches {
    /// Every future must be built from steps; whatever it gives may hold further ones only if
    /// it came from a variable.
    pub(super) fn visit(&mut self, marker: &mut Marker<'_>) {
        for branch in &mut self.0 {
            match branch {
                Branch::Else { handler, .. } => marker.visit_expr_mut(handler),
                Branch::Wait {
                    future,
                    condition,
                    handler,
                    ..
                } => {
                    if !marker.futures.pending(future) {
                        marker.refuse_raw_await(future, future.span());
                    }
                    marker.visit_expr_mut(future);
                    if let Some(condition) = condition {
                        marker.visit_expr_mut(condition);
                    }
                    marker.visit_expr_mut(handler);
                }
            }
        }
    }
}

impl Parse for Branches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut branches = Vec::new();
        while !input.is_empty() {
            let branch: Branch = input.parse()?;
            let is_block = matches!(branch.handler(), Expr::Block(_));
            branches.push(branch);
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else if !is_block && !input.is_empty() {
                return Err(input.error("expected `,`"));
            }
        }
        Ok(Branches(branches))
    }
}

impl Branch {
    fn handler(&self) -> &Expr {
        match self {
            Branch::Else { handler, .. } => handler,
            Branch::Wait { handler, .. } => handler,
        }
    }
}

impl Parse for Branch {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![else]) {
            let word = input.parse()?;
            input.parse::<Token![=>]>()?;
            let handler = handler(input)?;
            return Ok(Branch::Else { word, handler });
        }
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<Token![=]>()?;
        let future = input.parse()?;
        let condition = match input.parse::<Token![,]>() {
            Ok(_) => {
                input.parse::<Token![if]>()?;
                Some(input.parse()?)
            }
            Err(_) => None,
        };
        input.parse::<Token![=>]>()?;
        let handler = Box::new(handler(input)?);
        Ok(Branch::Wait {
            pat,
            future,
            condition,
            handler,
        })
    }
}

/// A block ends a branch by itself; anything else ends at the comma.
fn handler(input: ParseStream<'_>) -> syn::Result<Expr> {
    if input.peek(syn::token::Brace) {
        let block: syn::ExprBlock = input.parse()?;
        return Ok(Expr::Block(block));
    }
    input.parse()
}

impl ToTokens for Branches {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for branch in &self.0 {
            tokens.extend(match branch {
                Branch::Else { word, handler } => quote!(#word => #handler,),
                Branch::Wait {
                    pat,
                    future,
                    condition,
                    handler,
                } => {
                    let condition = condition.as_ref().map(|test| quote!(, if #test));
                    quote!(#pat = #future #condition => #handler,)
                }
            });
        }
    }
}
