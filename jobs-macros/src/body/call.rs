//! Parses what stands in `step!(..)` into a [`StepCall`]: a name, options, a future. Which of
//! them go together is checked in `form`.

use super::form;
use crate::errors::Errors;
use crate::options::{self, Rule, Seen};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitStr, Token, Type};

const EXAMPLE: &str = "`step!(\"create-account\", create_account(&input))`";

const RULES: &[Rule] = &[
    rule("attempts", "3"),
    rule("backoff", "\"1s..1m\""),
    rule("detached", "true"),
    rule("effect", "at_most_once"),
    rule("event", "FeedbackGiven"),
    rule("job", "ship(parcel)"),
    rule("key", "input.user_id"),
    rule("required", "true"),
    rule("since", "step"),
    rule("sleep", "\"3d\""),
    rule("sleep_until", "input.due_at"),
    rule("steps", "bill(&order)"),
    rule("timeout", "\"30s\""),
    rule("tx", "|tx: &mut SqliteTx| debit(tx, &input)"),
    rule("was", "[\"old-name\"]"),
];

const fn rule(name: &'static str, example: &'static str) -> Rule {
    Rule { name, example }
}

pub(super) struct StepCall {
    pub(super) name: Option<LitStr>,
    pub(super) options: Vec<StepOption>,
    pub(super) body: Option<StepBody>,
}

pub(super) struct StepOption {
    pub(super) key: Ident,
    pub(super) value: Value,
}

pub(super) enum Value {
    Expr(Expr),
    /// An option that is given by its name alone.
    Flag,
    /// What makes the request for a child.
    Request(StepBody),
    Type(Type),
}

pub(super) struct StepBody {
    /// The `move` before the future.
    pub(super) moves: Option<Span>,
    pub(super) tokens: TokenStream,
    /// The same as read, where that could be done.
    pub(super) parsed: Option<Expr>,
    pub(super) is_block: bool,
}

impl StepCall {
    /// An `Err` means that nothing can be made of the call; smaller mistakes go to `errors`.
    pub(super) fn parse(
        step: Span,
        tokens: TokenStream,
        errors: &mut Errors,
    ) -> syn::Result<StepCall> {
        if tokens.is_empty() {
            let text = format!("`step!` needs a name and a future: {EXAMPLE}");
            return Err(syn::Error::new(step, text));
        }
        let read = |input: ParseStream<'_>| {
            let name = read_name(input)?;
            let options = read_options(input, errors)?;
            let body = read_body(input)?;
            Ok(StepCall {
                name,
                options,
                body,
            })
        };
        read.parse2(tokens)
    }

    pub(super) fn option(&self, name: &str) -> Option<&StepOption> {
        self.options.iter().find(|option| option.key == name)
    }
}

fn read_name(input: ParseStream<'_>) -> syn::Result<Option<LitStr>> {
    if starts_option(input) {
        return Ok(None);
    }
    if !input.peek(LitStr) {
        return Err(input.error(format!(
            "a step starts with its name, a text in quotes, so that all names are known when the program is compiled: {EXAMPLE}"
        )));
    }
    let name: LitStr = input.parse()?;
    if input.is_empty() || (input.peek(Token![,]) && input.peek2(syn::parse::End)) {
        let text = format!(
            "`step!` needs a future after the name: `step!({}, create_account(&input))`",
            name.to_token_stream()
        );
        return Err(syn::Error::new(name.span(), text));
    }
    if input.parse::<Token![,]>().is_err() {
        return Err(input.error("expected `,` after the name of the step"));
    }
    Ok(Some(name))
}

fn starts_option(input: ParseStream<'_>) -> bool {
    input.peek(Ident)
        && input.peek2(Token![=])
        && !input.peek2(Token![==])
        && !input.peek2(Token![=>])
}

fn read_options(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Vec<StepOption>> {
    let mut seen = Seen::new(RULES, "`step!`");
    let mut list: Vec<StepOption> = Vec::new();
    while starts_option(input) || is_flag(input, &list) {
        let key: Ident = input.parse()?;
        let admitted = seen.admit(&key, errors);
        match read_value(&key, input, seen.example(&key), errors) {
            Ok(value) if admitted => list.push(StepOption { key, value }),
            // Without it the step would look like one of another form.
            Err(error) if form::is_made_by(&key) => return Err(error),
            Err(error) if admitted => errors.add(error),
            _ => {}
        }
        options::skip_to_comma(input);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(list)
}

/// `required` alone is an option of a wait, and `detached` of a child; elsewhere they may be
/// variables that hold a future.
fn is_flag(input: ParseStream<'_>, earlier: &[StepOption]) -> bool {
    let ahead = input.fork();
    let word = ahead.parse::<Ident>().map(|word| word.to_string());
    let form = match word.as_deref() {
        Ok("required") => "event",
        Ok("detached") => "job",
        _ => return false,
    };
    (ahead.is_empty() || ahead.peek(Token![,])) && earlier.iter().any(|option| option.key == form)
}

fn read_value(
    key: &Ident,
    input: ParseStream<'_>,
    example: &str,
    errors: &mut Errors,
) -> syn::Result<Value> {
    if input.parse::<Token![=]>().is_err() {
        return Ok(Value::Flag);
    }
    if input.is_empty() || input.peek(Token![,]) {
        let text = format!("the option `{key}` needs a value: `{key} = {example}`");
        return Err(syn::Error::new(key.span(), text));
    }
    if key == "steps" && input.peek(Token![move]) {
        let word: Token![move] = input.parse()?;
        let text = "`steps` takes no `move`: what the helper is given is evaluated here, and not in a future of its own; remove it";
        errors.at(word.span, text);
    }
    let value = match key.to_string().as_str() {
        "event" => Value::Type(input.parse().map_err(|error| {
            let text = "`event` takes the type of an event, as in `event = FeedbackGiven`";
            syn::Error::new(error.span(), text)
        })?),
        "job" => Value::Request(read_request(input)?),
        _ => Value::Expr(options::value(input)?),
    };
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(value);
    }
    Err(input.error("expected `,` after the value of this option"))
}

fn read_request(input: ParseStream<'_>) -> syn::Result<StepBody> {
    let moves = read_move(input)?;
    let request: Expr = input.parse()?;
    Ok(StepBody {
        moves,
        is_block: false,
        tokens: request.into_token_stream(),
        parsed: None,
    })
}

/// The `move` of a step, which is not that of a closure.
fn read_move(input: ParseStream<'_>) -> syn::Result<Option<Span>> {
    if !input.peek(Token![move]) || input.peek2(Token![|]) {
        return Ok(None);
    }
    let word: Token![move] = input.parse()?;
    Ok(Some(word.span))
}

fn read_body(input: ParseStream<'_>) -> syn::Result<Option<StepBody>> {
    if input.is_empty() {
        return Ok(None);
    }
    let moves = read_move(input)?;
    let ahead = input.fork();
    // rustc parses the expression too, and explains what is wrong better than we could.
    let parsed = ahead.parse::<Expr>().ok();
    if parsed.is_some() {
        refuse_rest(&ahead)?;
        input.advance_to(&ahead);
    }
    let rest: TokenStream = input.parse()?;
    let tokens = match &parsed {
        Some(future) => future.to_token_stream(),
        None => rest,
    };
    Ok(Some(StepBody {
        moves,
        is_block: super::tokens::is_one_block(&tokens),
        tokens,
        parsed,
    }))
}

fn refuse_rest(after: ParseStream<'_>) -> syn::Result<()> {
    let rest = after.fork();
    if rest.parse::<Token![,]>().is_err() {
        return if rest.is_empty() {
            Ok(())
        } else {
            Err(rest.error("a step holds one future; expected the end of the step here"))
        };
    }
    if rest.is_empty() {
        return Ok(());
    }
    if starts_option(&rest) {
        return Err(rest.error(
            "the options of a step stand before its future; move this one next to the name",
        ));
    }
    let second: TokenStream = rest.parse()?;
    let at = second
        .into_iter()
        .next()
        .map(|tree: TokenTree| quote!(#tree));
    let span = at.map_or_else(Span::call_site, |tokens| tokens.span());
    Err(syn::Error::new(
        span,
        "a step holds one future; put this one into a step of its own",
    ))
}
