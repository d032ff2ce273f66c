//! Parses the item under `#[job]`. The body may hold a syntax error, or syntax newer than our
//! parser: then it stays tokens, and rustc, which recovers better, reports or accepts it.

use proc_macro2::TokenStream;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Block, Signature, Visibility};

pub(crate) struct JobFn {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    Parsed(Box<Block>),
    /// What stands between the braces.
    Tokens(TokenStream),
}

pub(crate) fn parse(item: TokenStream) -> syn::Result<JobFn> {
    let read = |input: ParseStream<'_>| {
        let attrs = input.call(Attribute::parse_outer)?;
        let (vis, sig) = (input.parse()?, input.parse()?);
        let body = parse_body(input)?;
        Ok(JobFn {
            attrs,
            vis,
            sig,
            body,
        })
    };
    read.parse2(item)
}

fn parse_body(input: ParseStream<'_>) -> syn::Result<Body> {
    let ahead = input.fork();
    if let Ok(block) = ahead.parse::<Block>()
        && ahead.is_empty()
    {
        input.advance_to(&ahead);
        return Ok(Body::Parsed(Box::new(block)));
    }
    let inside;
    syn::braced!(inside in input);
    Ok(Body::Tokens(inside.parse()?))
}
