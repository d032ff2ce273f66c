//! Parses `#[event(..)]` into [`Args`].

use crate::errors::Errors;
use crate::names;
use crate::options::{self, Rule, Seen};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, LitStr, Meta, Path, Type};

const RULES: &[Rule] = &[
    rule("crate", "path::to::runtime"),
    rule("key", "u64"),
    rule("name", "\"feedback-given\""),
    rule("ttl", "\"7d\""),
    rule("was", "[\"old-name\"]"),
];

const fn rule(name: &'static str, example: &'static str) -> Rule {
    Rule { name, example }
}

#[derive(Default)]
pub(super) struct Args {
    pub(super) key: Key,
    pub(super) krate: Option<Path>,
    pub(super) name: Option<LitStr>,
    pub(super) ttl_millis: Option<u64>,
    pub(super) was: Vec<LitStr>,
}

/// What an event and a wait must share to meet.
#[derive(Default)]
pub(super) enum Key {
    #[default]
    Missing,
    /// `none`, written out: any wait takes any event of the name.
    None,
    Type(Box<Type>),
}

pub(super) fn parse(attrs: &[Attribute], ident: &Ident, errors: &mut Errors) -> Args {
    let mut args = Args::default();
    let mut seen = Seen::new(RULES, "`#[event]`");
    let mut is_bare = false;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("event")) {
        let Meta::List(list) = &attr.meta else {
            errors.over(
                attr,
                "`#[event]` takes its options in parentheses: `#[event(key = u64)]`",
            );
            is_bare = true;
            continue;
        };
        let read = |input: ParseStream<'_>| {
            options::read_all(input, &mut seen, errors, |key, input, errors| {
                args.read(key, input, errors)
            });
            Ok(())
        };
        if let Err(error) = read.parse2(list.tokens.clone()) {
            errors.add(error);
        }
    }
    if !seen.has("key") && !is_bare {
        errors.at(
            super::here(),
            "an event needs a correlation key, so that it wakes the run it is meant for and no other; add `#[event(key = u64)]` with the key's type, or `key = none` if any wait may take it",
        );
    }
    let name = match &args.name {
        Some(name) => name.value(),
        None => ident.unraw().to_string(),
    };
    options::refuse_own_name(&name, &args.was, errors);
    if args.name.is_none()
        && let Err(text) = names::check_plain("event name", &ident.unraw().to_string())
    {
        errors.at(
            ident.span(),
            format!("{text}; give it one with `name = \"..\"`"),
        );
    }
    args
}

impl Args {
    fn read(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        let name = key.unraw().to_string();
        match name.as_str() {
            "crate" => self.krate = Some(input.call(Path::parse_mod_style)?),
            "key" => self.key = read_key(input)?,
            "name" => {
                let literal = options::string(key, input, "\"feedback-given\"")?;
                names::check_plain("event name", &literal.value())
                    .map_err(|text| syn::Error::new(literal.span(), text))?;
                self.name = Some(literal);
            }
            "ttl" => self.ttl_millis = Some(options::millis(key, input, "\"7d\"")?),
            "was" => {
                let list = options::strings(key, input, "[\"old-name\"]")?;
                self.was =
                    options::each_once(list, errors, |name| names::check_plain("event name", name));
            }
            _ => {}
        }
        Ok(())
    }
}

fn read_key(input: ParseStream<'_>) -> syn::Result<Key> {
    let refused = input.error("`key` takes the type of the key, as in `key = u64`, or `none`");
    match input.parse::<Type>() {
        Ok(Type::Path(path)) if path.path.is_ident("none") => Ok(Key::None),
        Ok(ty) => Ok(Key::Type(Box::new(ty))),
        Err(_) => Err(refused),
    }
}
