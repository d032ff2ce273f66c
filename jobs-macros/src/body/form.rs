//! Checks a [`StepCall`]: which of the forms of a step it is, whether its options belong to that
//! form, and whether their values can be right. Gives a [`Form`], ready to be written out.

use super::call::{StepBody, StepCall, StepOption, Value};
use super::child::{self, Child};
use super::effect;
use super::helper_call::{self, HelperCall};
use super::tx_call::{self, TxCall};
use crate::duration::{self, Backoff};
use crate::errors::Errors;
use crate::{options, suggest};
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Pat, Type};

/// What a step is told apart by; the option that makes it a form of its own, and the options it
/// takes beside. A step without any of these runs a future.
const FORMS: &[(&str, &[&str])] = &[
    ("job", &["detached"]),
    ("event", &["key", "timeout", "required", "since"]),
    ("sleep", &[]),
    ("sleep_until", &[]),
    ("steps", &[]),
    ("tx", &["attempts", "backoff", "timeout"]),
];

/// Whether the option says which form of a step it is.
pub(super) fn is_made_by(option: &Ident) -> bool {
    FORMS.iter().any(|(name, _)| option == name)
}

const RUN_OPTIONS: &[&str] = &["attempts", "backoff", "effect", "timeout"];

/// What every form takes, because every record has a name.
const NAME_OPTIONS: &[&str] = &["was"];

pub(super) enum Form {
    Child(Box<Child>),
    Helper(Box<HelperCall>),
    Run(Box<Run>),
    Sleep(Time),
    SleepUntil(Box<Expr>),
    Wait(Box<Wait>),
}

pub(super) struct Run {
    pub(super) attempts: Option<Expr>,
    pub(super) backoff: Option<Backoff>,
    pub(super) timeout: Option<Time>,
    pub(super) at_most_once: bool,
    pub(super) body: StepBody,
    /// The name and the type of the transaction that the body writes in.
    pub(super) tx: Option<(Pat, Type)>,
}

pub(super) struct Wait {
    pub(super) event: Type,
    pub(super) key: Option<Expr>,
    pub(super) timeout: Option<Time>,
    pub(super) required: bool,
    pub(super) since_step: bool,
}

/// A length of time: known now, or computed in the body.
pub(super) enum Time {
    Computed(Box<Expr>),
    Millis(u64),
}

impl Form {
    /// The word for the list of steps.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Form::Child(_) => "Child",
            // A helper is none itself; its steps say theirs.
            Form::Helper(_) | Form::Run(_) => "Step",
            Form::Sleep(_) | Form::SleepUntil(_) => "Sleep",
            Form::Wait(_) => "Event",
        }
    }
}

impl Form {
    /// The event or the request, as written; what follows a request's first call is left out.
    pub(super) fn subject(&self) -> Option<String> {
        match self {
            Form::Child(child) => Some(child.asked_for()),
            Form::Wait(wait) => Some(packed(&wait.event)),
            _ => None,
        }
    }
}

/// A path as text, without the blanks between its tokens.
pub(super) fn packed(path: &impl ToTokens) -> String {
    let tokens = path.to_token_stream().into_iter();
    tokens.map(|token| token.to_string()).collect()
}

/// An `Err` means that the step has no form; smaller mistakes go to `errors`.
pub(super) fn check(step: Span, call: StepCall, errors: &mut Errors) -> syn::Result<Form> {
    let mut forms = FORMS
        .iter()
        .filter_map(|(name, allowed)| Some((call.option(name)?, *allowed)));
    let Some((first, allowed)) = forms.next() else {
        refuse_strangers(&call, None, RUN_OPTIONS, errors);
        return run(step, call, errors).map(Box::new).map(Form::Run);
    };
    if let Some((second, _)) = forms.next() {
        let text = format!(
            "a step is either `{}` or `{}`; write two steps",
            first.key, second.key
        );
        return Err(syn::Error::new(second.key.span(), text));
    }
    let name = first.key.to_string();
    if let Some(body) = &call.body {
        let text = format!("a step with `{name}` holds no future; give this one a step of its own");
        return Err(syn::Error::new_spanned(&body.tokens, text));
    }
    refuse_strangers(&call, Some(&name), allowed, errors);
    match name.as_str() {
        "event" => wait(call, errors).map(Box::new).map(Form::Wait),
        "job" => child::read(call, errors).map(Box::new).map(Form::Child),
        "sleep" => time(first, errors, Zero::Allowed)
            .map(Form::Sleep)
            .ok_or_else(|| syn::Error::new(first.key.span(), "this sleep has no length")),
        "steps" => helper_call::read(first).map(Box::new).map(Form::Helper),
        "tx" => {
            let TxCall { pat, ty, body } = tx_call::read(first, errors)?;
            let call = StepCall {
                body: Some(body),
                ..call
            };
            let mut run = run(step, call, errors)?;
            run.tx = Some((pat, ty));
            Ok(Form::Run(Box::new(run)))
        }
        _ => match &first.value {
            Value::Expr(at) => Ok(Form::SleepUntil(Box::new(at.clone()))),
            Value::Flag | Value::Request(_) | Value::Type(_) => Err(needs_value(&first.key)),
        },
    }
}

/// The name a step has when none is written: only a sleep of a fixed length has one.
pub(super) fn default_name(step: Span, call: &StepCall) -> syn::Result<LitStr> {
    let option = call.option("sleep");
    if let Some(StepOption {
        value:
            Value::Expr(Expr::Lit(ExprLit {
                lit: Lit::Str(literal),
                ..
            })),
        ..
    }) = option
    {
        return Ok(LitStr::new(
            &format!("sleep:{}", literal.value()),
            literal.span(),
        ));
    }
    let span = call.options.first().map_or(step, |first| first.key.span());
    let text = match option {
        Some(_) => {
            "a sleep whose length is computed needs a name: `step!(\"cool-off\", sleep = ..)`"
        }
        None => "a step starts with its name, by which it is found again: `step!(\"name\", ..)`",
    };
    Err(syn::Error::new(span, text))
}

fn refuse_strangers(call: &StepCall, form: Option<&str>, allowed: &[&str], errors: &mut Errors) {
    for StepOption { key, .. } in &call.options {
        let name = key.to_string();
        let fits = allowed.contains(&name.as_str()) || NAME_OPTIONS.contains(&name.as_str());
        if form == Some(name.as_str()) || fits {
            continue;
        }
        let home = FORMS
            .iter()
            .find(|(_, options)| options.contains(&name.as_str()));
        let text = match (form, home) {
            (None, Some((home, _))) => {
                format!(
                    "`{name}` belongs to a step with `{home}`, and this one runs a future; remove it"
                )
            }
            (Some("tx"), _) if name == "effect" => {
                "a `tx` step is stored together with what it writes, so it takes effect once; remove `effect`".into()
            }
            (Some(form), _) if allowed.is_empty() => {
                format!("a step with `{form}` takes no option but `was`; remove `{name}`")
            }
            (form, _) => format!(
                "`{name}` does not go with `{}`, which takes {}",
                form.unwrap_or("a future"),
                suggest::list(allowed)
            ),
        };
        errors.at(key.span(), text);
    }
}

fn run(step: Span, call: StepCall, errors: &mut Errors) -> syn::Result<Run> {
    let attempts = call
        .option("attempts")
        .and_then(|option| attempts(option, errors));
    let backoff = call
        .option("backoff")
        .and_then(|option| backoff(option, errors));
    let timeout = call
        .option("timeout")
        .and_then(|option| time(option, errors, Zero::Refused));
    let at_most_once = call
        .option("effect")
        .is_some_and(|option| effect::read(option, &call, errors));
    if let (Some(option), None, None) = (
        call.option("backoff"),
        call.option("attempts"),
        call.option("effect"),
    ) {
        errors.at(
            option.key.span(),
            "`backoff` is the pause between the attempts of this step, and it has one; add `attempts = 3`",
        );
    }
    let moves = call.body.as_ref().and_then(|body| body.moves);
    if let (Some(option), Some(_)) = (call.option("attempts"), moves) {
        errors.at(
            option.key.span(),
            "a step that moves what it captures can run only once in an attempt; remove `attempts`, or remove `move` and borrow",
        );
    }
    let span = call.name.as_ref().map_or(step, LitStr::span);
    let body = call
        .body
        .filter(|body| !body.tokens.is_empty())
        .ok_or_else(|| {
            syn::Error::new(
                span,
                "this step has no future; write one after its name and options",
            )
        })?;
    Ok(Run {
        attempts,
        backoff,
        timeout,
        at_most_once,
        body,
        tx: None,
    })
}

fn wait(call: StepCall, errors: &mut Errors) -> syn::Result<Wait> {
    let timeout = call
        .option("timeout")
        .and_then(|option| time(option, errors, Zero::Refused));
    let (mut event, mut key, mut required, mut since_step) = (None, None, false, false);
    for StepOption { key: name, value } in call.options {
        match (name.to_string().as_str(), value) {
            ("event", Value::Type(ty)) => event = Some(ty),
            ("key", Value::Expr(expr)) => key = Some(expr),
            ("required", Value::Flag) => required = true,
            ("required", _) => {
                errors.at(name.span(), "`required` stands alone, without a value");
            }
            ("since", Value::Expr(Expr::Path(path))) if path.path.is_ident("step") => {
                since_step = true;
            }
            ("since", _) => errors.at(
                name.span(),
                "`since` takes `step` and nothing else: only events published after the wait began are taken then",
            ),
            _ => {}
        }
    }
    let event = event.ok_or_else(|| {
        syn::Error::new(
            Span::call_site(),
            "this wait names no event; write `event = Type`",
        )
    })?;
    Ok(Wait {
        event,
        key,
        timeout,
        required,
        since_step,
    })
}

fn attempts(option: &StepOption, errors: &mut Errors) -> Option<Expr> {
    let Value::Expr(value) = &option.value else {
        errors.add(needs_value(&option.key));
        return None;
    };
    if matches!(value, Expr::Lit(_) | Expr::Unary(_))
        && let Err(error) = options::count(&option.key, value, "a step is tried at least once")
    {
        errors.add(error);
        return None;
    }
    Some(value.clone())
}

fn backoff(option: &StepOption, errors: &mut Errors) -> Option<Backoff> {
    let Some(literal) = text(&option.value) else {
        let text = "`backoff` takes a text in quotes, as in `backoff = \"1s..1m\"`";
        errors.at(option.key.span(), text);
        return None;
    };
    duration::backoff(&literal.value())
        .map_err(|text| errors.at(literal.span(), text))
        .ok()
}

#[derive(Clone, Copy)]
enum Zero {
    Allowed,
    Refused,
}

fn time(option: &StepOption, errors: &mut Errors, zero: Zero) -> Option<Time> {
    if let Some(literal) = text(&option.value) {
        let read = match zero {
            Zero::Allowed => duration::millis,
            Zero::Refused => duration::positive_millis,
        };
        return match read(&literal.value()) {
            Ok(millis) => Some(Time::Millis(millis)),
            Err(text) => {
                errors.at(literal.span(), text);
                // The length is wrong and the step is not, so it keeps its form.
                Some(Time::Millis(1))
            }
        };
    }
    match &option.value {
        Value::Expr(value) if !matches!(value, Expr::Lit(_)) => {
            Some(Time::Computed(Box::new(value.clone())))
        }
        other => {
            let tokens = match other {
                Value::Expr(value) => value.to_token_stream(),
                Value::Flag | Value::Request(_) | Value::Type(_) => option.key.to_token_stream(),
            };
            let key = &option.key;
            errors.over(
                &tokens,
                format!(
                    "`{key}` takes a duration in quotes, as in `{key} = \"10m\"`, or a `Duration`"
                ),
            );
            Some(Time::Millis(1))
        }
    }
}

fn text(value: &Value) -> Option<&LitStr> {
    match value {
        Value::Expr(Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        })) => Some(literal),
        _ => None,
    }
}

pub(super) fn needs_value(key: &Ident) -> syn::Error {
    syn::Error::new(key.span(), format!("the option `{key}` needs a value"))
}
