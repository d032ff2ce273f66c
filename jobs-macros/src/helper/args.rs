//! Parses the options of `#[steps(..)]`.

use crate::errors::Errors;
use crate::job::{Allowed, read_allow};
use crate::options::{self, Rule, Seen};
use proc_macro2::TokenStream;
use syn::Path;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

const RULES: &[Rule] = &[
    rule("allow", "(raw_await)"),
    rule("crate", "path::to::runtime"),
];

const fn rule(name: &'static str, example: &'static str) -> Rule {
    Rule { name, example }
}

#[derive(Default)]
pub(super) struct Args {
    pub(super) krate: Option<Path>,
    pub(super) allowed: Allowed,
}

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut args = Args::default();
    let read = |input: ParseStream<'_>| {
        let mut seen = Seen::new(RULES, "`#[steps]`");
        options::read_all(input, &mut seen, errors, |key, input, errors| {
            match key.unraw().to_string().as_str() {
                "allow" => args.allowed = read_allow(input, errors)?,
                "crate" => args.krate = Some(input.call(Path::parse_mod_style)?),
                _ => {}
            }
            Ok(())
        });
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        errors.add(error);
    }
    args
}
