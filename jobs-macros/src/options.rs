//! Lists of options, `key = value, flag`, read with recovery: a mistake is reported at its token
//! and the reading goes on at the next comma. The values that occur in many options are read
//! here too; which options exist is said by each macro.

use crate::{duration, errors::Errors, place, suggest};
use proc_macro2::{Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, ExprLit, Ident, Lit, LitInt, LitStr, Token};

/// One option a macro knows.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// How a value looks, for the errors.
    pub(crate) example: &'static str,
}

/// An option that a macro knows and does not have.
#[derive(Clone, Copy)]
pub(crate) struct Refusal {
    pub(crate) name: &'static str,
    /// A sentence with the remedy.
    pub(crate) why: &'static str,
}

/// Remembers which options were given, to refuse the second of a name and the unknown.
pub(crate) struct Seen<'a> {
    rules: &'a [Rule],
    refused: &'a [Refusal],
    owner: &'static str,
    given: Vec<(String, Span)>,
}

impl<'a> Seen<'a> {
    /// `owner` is what the options belong to, for the errors: "`#[job]`".
    pub(crate) fn new(rules: &'a [Rule], owner: &'static str) -> Self {
        Seen {
            rules,
            refused: &[],
            owner,
            given: Vec::new(),
        }
    }

    /// These are answered with a sentence of their own.
    pub(crate) fn refusing(self, refused: &'a [Refusal]) -> Self {
        Seen { refused, ..self }
    }

    /// Whether the option is known and new; if not, the error is in the list.
    pub(crate) fn admit(&mut self, key: &Ident, errors: &mut Errors) -> bool {
        let name = key.unraw().to_string();
        if let Some(refusal) = self.refused.iter().find(|refusal| refusal.name == name) {
            errors.at(key.span(), refusal.why);
            return false;
        }
        let known: Vec<&str> = self.rules.iter().map(|rule| rule.name).collect();
        if !known.contains(&name.as_str()) {
            let hint = suggest::hint(&name, &known);
            errors.at(
                key.span(),
                format!("{} has no option `{name}`; {hint}", self.owner),
            );
            return false;
        }
        if let Some((_, first)) = self.given.iter().find(|(given, _)| *given == name) {
            let line = place::line(*first);
            errors.at(
                key.span(),
                format!(
                    "the option `{name}` is given twice (first on line {line}); keep one of them"
                ),
            );
            return false;
        }
        self.given.push((name, key.span()));
        true
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| given == name)
    }

    /// An option as it is written: the name, where there is one.
    fn sample(&self) -> String {
        let mut rules = self.rules.iter();
        let rule = rules
            .find(|rule| rule.name == "name")
            .or(self.rules.first());
        rule.map_or(String::new(), |rule| {
            format!("{} = {}", rule.name, rule.example)
        })
    }

    pub(crate) fn example(&self, key: &Ident) -> &'static str {
        let name = key.unraw().to_string();
        self.rules
            .iter()
            .find(|rule| rule.name == name)
            .map_or("..", |rule| rule.example)
    }
}

/// Calls `read` for every option that is known and given for the first time.
pub(crate) fn read_all(
    input: ParseStream<'_>,
    seen: &mut Seen<'_>,
    errors: &mut Errors,
    mut read: impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
) {
    while !input.is_empty() {
        if let Err(error) = read_one(input, seen, errors, &mut read) {
            errors.add(error);
        }
        skip_to_comma(input);
        if input.parse::<Token![,]>().is_err() {
            return;
        }
    }
}

fn read_one(
    input: ParseStream<'_>,
    seen: &mut Seen<'_>,
    errors: &mut Errors,
    read: &mut impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
) -> syn::Result<()> {
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error(format!(
            "the options of {} are names with values, as in `{}`",
            seen.owner,
            seen.sample()
        )));
    };
    if !seen.admit(&key, errors) {
        return Ok(());
    }
    let example = seen.example(&key);
    if input.peek(Token![:]) || input.peek(syn::token::Paren) {
        let text = format!("the value of an option follows a `=`: `{key} = {example}`");
        return Err(input.error(text));
    }
    let given = input.parse::<Token![=]>().is_ok() && !input.is_empty() && !input.peek(Token![,]);
    if !given {
        let text = format!("the option `{key}` needs a value: `{key} = {example}`");
        return Err(syn::Error::new(key.span(), text));
    }
    read(&key, input, errors)?;
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(input.error("expected `,` before the next option"))
}

/// Skips what is left of a broken option.
pub(crate) fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// The value of an option. A fragment of a `macro_rules!` comes in a group that nobody sees.
pub(crate) fn value(input: ParseStream<'_>) -> syn::Result<Expr> {
    input.parse().map(bare)
}

pub(crate) fn bare(mut value: Expr) -> Expr {
    while let Expr::Group(group) = value {
        value = *group.expr;
    }
    value
}

/// A whole number of at least one.
pub(crate) fn count(key: &Ident, value: &Expr, least: &str) -> syn::Result<u32> {
    let Expr::Lit(ExprLit {
        lit: Lit::Int(literal),
        ..
    }) = value
    else {
        let text = format!("`{key}` takes a whole number, as in `{key} = 5`");
        return Err(syn::Error::new_spanned(value, text));
    };
    match whole(literal)? {
        0 => Err(syn::Error::new(
            literal.span(),
            format!("`{key} = 0` is not possible: {least}"),
        )),
        number => Ok(number),
    }
}

pub(crate) fn whole(literal: &LitInt) -> syn::Result<u32> {
    literal.base10_parse().map_err(|_| {
        let text = format!("`{literal}` is no whole number up to {}", u32::MAX);
        syn::Error::new(literal.span(), text)
    })
}

pub(crate) fn string(key: &Ident, input: ParseStream<'_>, example: &str) -> syn::Result<LitStr> {
    match value(input)? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) => Ok(literal),
        other => Err(syn::Error::new_spanned(
            other,
            format!("`{key}` takes a text in quotes, as in `{key} = {example}`"),
        )),
    }
}

/// A list of texts, as `was` takes it.
pub(crate) fn strings(
    key: &Ident,
    input: ParseStream<'_>,
    example: &str,
) -> syn::Result<Vec<LitStr>> {
    let refuse = |at: &Expr| {
        let text = format!("`{key}` takes a list of texts, as in `{key} = {example}`");
        syn::Error::new_spanned(at, text)
    };
    let value = self::value(input)?;
    let Expr::Array(array) = &value else {
        return Err(refuse(&value));
    };
    array
        .elems
        .iter()
        .map(|element| match bare(element.clone()) {
            Expr::Lit(ExprLit {
                lit: Lit::Str(literal),
                ..
            }) => Ok(literal),
            other => Err(refuse(&other)),
        })
        .collect()
}

/// A duration in quotes, longer than zero, in milliseconds.
pub(crate) fn millis(key: &Ident, input: ParseStream<'_>, example: &str) -> syn::Result<u64> {
    let value = self::value(input)?;
    let Expr::Lit(ExprLit {
        lit: Lit::Str(literal),
        ..
    }) = &value
    else {
        let text = format!("`{key}` takes a duration in quotes, as in `{key} = {example}`");
        return Err(syn::Error::new_spanned(value, text));
    };
    duration::positive_millis(&literal.value())
        .map_err(|text| syn::Error::new(literal.span(), text))
}

/// The texts of a list that are as `check` wants them, each once; the errors are of the others.
pub(crate) fn each_once(
    list: Vec<LitStr>,
    errors: &mut Errors,
    check: impl Fn(&str) -> Result<(), String>,
) -> Vec<LitStr> {
    let mut good: Vec<LitStr> = Vec::new();
    for literal in list {
        let value = literal.value();
        if let Err(text) = check(&value) {
            errors.at(literal.span(), text);
        } else if good.iter().any(|earlier| earlier.value() == value) {
            errors.at(
                literal.span(),
                "this name is in the list already; remove it",
            );
        } else {
            good.push(literal);
        }
    }
    good
}

/// A former name that is still the name.
pub(crate) fn refuse_own_name(name: &str, was: &[LitStr], errors: &mut Errors) {
    if let Some(literal) = was.iter().find(|former| former.value() == name) {
        errors.at(
            literal.span(),
            format!("`{name}` is the name it has now; `was` lists the names it had before"),
        );
    }
}
