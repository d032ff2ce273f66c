//! Steps inside the macros of others: `join!(step!(..), step!(..))`. Their arguments are read as
//! expressions where they are such; else the tokens are searched.

use super::await_check::last_of;
use super::marker::Marker;
use super::scope::Repetition;
use super::select::Branches;
use super::{tag, tokens};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, Macro, Token};

impl Marker<'_> {
    pub(super) fn open(&mut self, mac: &mut Macro) {
        let name = last_of(&mac.path).unwrap_or_default();
        self.tied_if(tag::is_transparent(&name), |marker| match name.as_str() {
            "macro_rules" => marker.open_definition(mac),
            "select" => marker.open_select(mac),
            "join" | "try_join" => marker.open_join(mac),
            _ => marker.open_arguments(mac),
        });
    }

    fn open_definition(&mut self, mac: &mut Macro) {
        if tokens::find_step(&mac.tokens).is_none() {
            return;
        }
        self.errors.at(
            mac.path.span(),
            "a step in a `macro_rules!`: each use would repeat its name; write the steps out, or use a closure and put what differs into the name",
        );
        mac.tokens = self.mark_silently(mac.tokens.clone());
    }

    fn open_select(&mut self, mac: &mut Macro) {
        let biased = tokens::strip_biased(&mac.tokens);
        if biased.is_none() && self.futures.touch(&mac.tokens) {
            let text = if mac
                .path
                .segments
                .iter()
                .any(|part| part.ident.to_string().starts_with("futures"))
            {
                "`futures::select!` picks a branch at random, so a replay may take another; use `futures::select_biased!` or `tokio::select! { biased; .. }`"
            } else {
                "`select!` picks a branch at random, so a replay may take another; start it with `biased;`"
            };
            self.errors.at(mac.path.span(), text);
        }
        let (prefix, rest) = match biased {
            Some(rest) => (quote!(biased;), rest),
            None => (TokenStream::new(), mac.tokens.clone()),
        };
        match syn::parse2::<Branches>(rest.clone()) {
            Ok(mut branches) => {
                branches.visit(self);
                mac.tokens = quote!(#prefix #branches);
            }
            Err(_) => {
                let rest = self.scan(rest);
                mac.tokens = quote!(#prefix #rest);
            }
        }
    }

    fn open_join(&mut self, mac: &mut Macro) {
        let biased = tokens::strip_biased(&mac.tokens);
        let rest = biased.clone().unwrap_or_else(|| mac.tokens.clone());
        let Some(mut joined) = expressions(&rest) else {
            mac.tokens = self.scan(mac.tokens.clone());
            return;
        };
        for future in &mut joined {
            if !self.futures.pending(future) {
                self.refuse_raw_await(future, future.span());
            }
            self.visit_expr_mut(future);
        }
        let prefix = biased.map(|_| quote!(biased;));
        mac.tokens = quote!(#prefix #joined);
    }

    fn open_arguments(&mut self, mac: &mut Macro) {
        if let Some(mut arguments) = expressions(&mac.tokens) {
            // Written back only where something can have changed: printing is not always faithful.
            let touched = self.futures.touch(&mac.tokens);
            for argument in &mut arguments {
                self.visit_expr_mut(argument);
            }
            if touched {
                mac.tokens = quote!(#arguments);
            }
        } else if tokens::find_step(&mac.tokens).is_some() {
            mac.tokens = self.scan(mac.tokens.clone());
        }
    }

    /// Marks steps in tokens that are not known to be Rust. Loops can be told by their words;
    /// closures cannot, and there the names are checked when the job runs.
    pub(super) fn scan(&mut self, tokens: TokenStream) -> TokenStream {
        self.tied_if(false, |marker| marker.scan_untied(tokens))
    }

    fn scan_untied(&mut self, tokens: TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut marked = TokenStream::new();
        let mut after_loop_word = false;
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            if let Some((name, arguments)) = tokens::step_at(&trees, at) {
                let inside = self.mark(name.span(), arguments.stream());
                let group = tokens::regroup(arguments, inside);
                let (name, bang) = (&trees[at], &trees[at + 1]);
                marked.extend(quote!(#name #bang #group));
                at += 3;
                continue;
            }
            match tree {
                TokenTree::Group(group) => {
                    let is_body = after_loop_word && group.delimiter() == Delimiter::Brace;
                    let repetition = match is_body {
                        true => Repetition::Loop,
                        false => self.repetition,
                    };
                    after_loop_word &= !is_body;
                    let inside = group.stream();
                    let inside = self.repeated(repetition, |marker| marker.scan_untied(inside));
                    marked.extend([TokenTree::from(tokens::regroup(group, inside))]);
                }
                other => {
                    after_loop_word |= matches!(other, TokenTree::Ident(word) if word == "for" || word == "while" || word == "loop");
                    marked.extend([other.clone()]);
                }
            }
            at += 1;
        }
        marked
    }
}

fn expressions(tokens: &TokenStream) -> Option<Punctuated<Expr, Token![,]>> {
    Punctuated::<Expr, Token![,]>::parse_terminated
        .parse2(tokens.clone())
        .ok()
}
