//! Where a token stands: its line, and spans that borrow the place of one token and the name
//! resolution of another.

use proc_macro2::{Span, TokenStream};

/// The line a span starts on, counted from 1; 0 where the compiler does not say.
#[cfg(not(test))]
pub(crate) fn line(span: Span) -> usize {
    if proc_macro::is_available() {
        span.unwrap().line()
    } else {
        0
    }
}

#[cfg(test)]
pub(crate) fn line(span: Span) -> usize {
    span.start().line
}

/// Local names resolve in our own expansion, errors point at `span`.
pub(crate) fn ours_at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// All names resolve where the user wrote the macro, errors point at `span`.
pub(crate) fn theirs_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}

pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
