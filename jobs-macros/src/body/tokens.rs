//! Looking into token streams that may not parse: where is a step, where is a name. Knows the
//! spelling of `step!` and nothing of what it means.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// The name of the one macro that is marked.
pub(super) const STEP: &str = "step";

/// If a `step!(..)` starts at `trees[at]`: its identifier and its arguments.
pub(super) fn step_at(trees: &[TokenTree], at: usize) -> Option<(&Ident, &Group)> {
    match trees.get(at..at + 3)? {
        [
            TokenTree::Ident(name),
            TokenTree::Punct(bang),
            TokenTree::Group(arguments),
        ] if name == STEP && bang.as_char() == '!' => Some((name, arguments)),
        _ => None,
    }
}

/// The first `step!(..)` anywhere in the tokens.
pub(super) fn find_step(tokens: &TokenStream) -> Option<Span> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    trees.iter().enumerate().find_map(|(at, tree)| {
        if let Some((name, _)) = step_at(&trees, at) {
            return Some(name.span());
        }
        match tree {
            TokenTree::Group(group) => find_step(&group.stream()),
            _ => None,
        }
    })
}

/// The first `.await` in the tokens that no `async` block answers for.
pub(super) fn find_await(tokens: &TokenStream) -> Option<Span> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    trees.iter().enumerate().find_map(|(at, tree)| match tree {
        TokenTree::Ident(word) if word == "async" => None,
        TokenTree::Ident(word) if word == "await" => Some(word.span()),
        TokenTree::Group(_) if is_async(&trees[..at]) => None,
        TokenTree::Group(group) => find_await(&group.stream()),
        _ => None,
    })
}

fn is_async(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Ident(word)] if word == "async" => true,
        [.., TokenTree::Ident(word), TokenTree::Ident(moves)] => word == "async" && moves == "move",
        _ => false,
    }
}

pub(super) fn any_ident(tokens: TokenStream, test: &mut impl FnMut(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => test(&ident),
        TokenTree::Group(group) => any_ident(group.stream(), test),
        _ => false,
    })
}

/// Takes `biased;` off the front, as `select!` and `join!` have it.
pub(super) fn strip_biased(tokens: &TokenStream) -> Option<TokenStream> {
    let mut trees = tokens.clone().into_iter();
    let is_word = matches!(trees.next(), Some(TokenTree::Ident(word)) if word == "biased");
    let is_end = matches!(trees.next(), Some(TokenTree::Punct(mark)) if mark.as_char() == ';');
    (is_word && is_end).then(|| trees.collect())
}

/// Whether the tokens are an `async move` block and nothing else.
pub(super) fn moves_in(tokens: &TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match &trees[..] {
        [before @ .., TokenTree::Group(group)] => {
            before.len() == 2 && group.delimiter() == Delimiter::Brace && is_async(before)
        }
        _ => false,
    }
}

pub(super) fn is_one_block(tokens: &TokenStream) -> bool {
    let mut trees = tokens.clone().into_iter();
    let first = trees.next();
    trees.next().is_none()
        && matches!(first, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

/// The same group around other tokens.
pub(super) fn regroup(group: &Group, inside: TokenStream) -> Group {
    let mut new = Group::new(group.delimiter(), inside);
    new.set_span(group.span());
    new
}
