//! Parses the options of `#[job(..)]` into [`Args`]. What needs the function itself to be judged
//! (does the key read the input?) is checked later.

use super::Kind;
use super::allow::{self, Allowed};
use super::limit::LimitArgs;
use super::task::{self, TaskArgs};
use super::window::WindowArgs;
use crate::duration::{self, Backoff};
use crate::errors::Errors;
use crate::names;
use crate::options::{self, Rule, Seen};
use crate::template::{self, Flaw, Role, Template};
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprClosure, ExprLit, Ident, Lit, LitStr, Path};

/// The lowest of the priorities; 0 is served first.
const MAX_PRIORITY: u32 = 9;

const RULES: &[Rule] = &[
    rule("allow", "(raw_await)"),
    rule("attempts", "5"),
    rule("backoff", "\"1s..1h\""),
    rule("crate", "path::to::runtime"),
    rule("debounce", "\"10s\""),
    rule("expires", "\"1h\""),
    rule("idempotency", "\"signup:{input.user_id}\""),
    rule("limit", "(concurrency = 5)"),
    rule("name", "\"welcome\""),
    rule("on_cancel", "path::to::job"),
    rule("on_conflict", "replace"),
    rule("outbox", "required"),
    rule("priority", "5"),
    rule("queue", "\"mail\""),
    rule("removed", "[\"old-step\"]"),
    rule("step_timeout", "\"1m\""),
    rule("tenant", "\"{input.org_id}\""),
    rule("throttle", "\"1m\""),
    rule("timeout", "\"10m\""),
    rule("unique_for", "\"24h\""),
    rule("visibility_timeout", "\"30s\""),
    rule("was", "[\"old-name\"]"),
];

/// What can be done when a key is taken, and the variant that says so.
const CONFLICTS: &[(&str, &str)] = &[
    ("dedupe", "Dedupe"),
    ("error", "Error"),
    ("replace", "Replace"),
];

const fn rule(name: &'static str, example: &'static str) -> Rule {
    Rule { name, example }
}

#[derive(Default)]
pub(crate) struct Args {
    pub(crate) allowed: Allowed,
    pub(crate) attempts: Option<u32>,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) expires_millis: Option<u64>,
    pub(crate) idempotency: Option<Idempotency>,
    pub(crate) kind: Kind,
    pub(crate) krate: Option<Path>,
    pub(crate) limit: Option<LimitArgs>,
    pub(crate) name: Option<LitStr>,
    pub(crate) on_cancel: Option<Path>,
    /// The variant, and where it was asked for.
    pub(crate) on_conflict: Option<(Ident, Span)>,
    pub(crate) outbox: bool,
    pub(crate) priority: Option<u8>,
    pub(crate) queue: Option<LitStr>,
    pub(crate) removed: Vec<Template>,
    pub(crate) step_timeout_millis: Option<u64>,
    pub(crate) task: TaskArgs,
    pub(crate) tenant: Option<Template>,
    pub(crate) timeout_millis: Option<u64>,
    /// With the place where it was asked for.
    pub(crate) unique_for: Option<(u64, Span)>,
    pub(crate) visibility_timeout_millis: Option<u64>,
    pub(crate) was: Vec<LitStr>,
    pub(crate) window: Option<WindowArgs>,
    /// Literals with mismatched braces, for rustc to report.
    pub(crate) rustc_says: Vec<TokenStream>,
}

pub(crate) enum Idempotency {
    Closure(ExprClosure),
    /// `none`, written out: running twice is harmless.
    None,
    /// Given, but wrong; its error is reported already.
    Refused,
    Template(Template),
}

pub(crate) fn parse(tokens: TokenStream, kind: Kind, errors: &mut Errors) -> Args {
    let mut args = Args {
        kind,
        ..Args::default()
    };
    let (rules, refused) = match kind {
        Kind::Job => (RULES.to_vec(), &task::NOT_OF_A_JOB[..]),
        Kind::Task => ([RULES, &task::RULES].concat(), &task::NOT_OF_A_TASK[..]),
    };
    let read = |input: ParseStream<'_>| {
        let mut seen = Seen::new(&rules, kind.name()).refusing(refused);
        options::read_all(input, &mut seen, errors, |key, input, errors| {
            args.read(key, input, errors)
        });
        // It was named, so it is not asked for a second time.
        if seen.has("idempotency") && args.idempotency.is_none() {
            args.idempotency = Some(Idempotency::Refused);
        }
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        errors.add(error);
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
            "allow" => self.allowed = allow::read(input, errors)?,
            "attempts" => {
                let value = options::value(input)?;
                self.attempts = Some(options::count(key, &value, "a job is tried at least once")?);
            }
            "backoff" => self.backoff = Some(read_backoff(key, input)?),
            "crate" => self.krate = Some(input.call(Path::parse_mod_style)?),
            "debounce" | "throttle" => self.read_window(key, input, errors)?,
            "expires" => self.expires_millis = Some(options::millis(key, input, "\"1h\"")?),
            "idempotency" => self.idempotency = Some(self.read_idempotency(input)?),
            "limit" => self.read_limit(key, input, errors)?,
            "name" => self.name = Some(plain(key, input, "job name", "\"welcome\"")?),
            "on_cancel" => self.on_cancel = Some(read_path(input)?),
            "on_conflict" => self.on_conflict = Some((read_conflict(input)?, key.span())),
            "outbox" => self.outbox = read_outbox(input)?,
            "priority" => self.priority = Some(read_priority(input)?),
            "queue" => self.queue = Some(plain(key, input, "queue name", "\"mail\"")?),
            "removed" => self.read_removed(key, input, errors)?,
            "step_timeout" => {
                self.step_timeout_millis = Some(options::millis(key, input, "\"1m\"")?)
            }
            "tenant" => {
                let literal = options::string(key, input, "\"{input.org_id}\"")?;
                self.tenant = self.template(&literal, Role::Tenant)?;
            }
            "timeout" => self.timeout_millis = Some(options::millis(key, input, "\"10m\"")?),
            "unique_for" => {
                let millis = options::millis(key, input, "\"24h\"")?;
                self.unique_for = Some((millis, key.span()));
            }
            "visibility_timeout" => {
                self.visibility_timeout_millis = Some(options::millis(key, input, "\"30s\"")?)
            }
            "was" => self.was = former_names(key, input, errors)?,
            other => self.task.read(other, key, input)?,
        }
        Ok(())
    }

    /// Names of steps, with their placeholders; those of helpers begin with the helper's.
    fn read_removed(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        let list = options::strings(key, input, "[\"old-step\"]")?;
        let check = |name: &str| name.split('/').try_for_each(names::check_step);
        for literal in options::each_once(list, errors, check) {
            match self.template(&literal, Role::StepName) {
                Ok(template) => self.removed.extend(template),
                Err(error) => errors.add(error),
            }
        }
        Ok(())
    }

    fn read_idempotency(&mut self, input: ParseStream<'_>) -> syn::Result<Idempotency> {
        let value = options::value(input)?;
        match value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(literal),
                ..
            }) => {
                let template = self.template(&literal, Role::Key)?;
                Ok(template.map_or(Idempotency::Refused, Idempotency::Template))
            }
            Expr::Closure(closure) if closure.inputs.len() == 1 => {
                Ok(Idempotency::Closure(closure))
            }
            Expr::Path(path) if path.path.is_ident("none") => Ok(Idempotency::None),
            other => Err(syn::Error::new_spanned(
                other,
                "`idempotency` takes a template such as \"signup:{input.user_id}\", a closure such as `|input| input.user_id`, or `none` if running twice is harmless",
            )),
        }
    }

    /// `None` if the braces do not match and rustc will say so.
    pub(super) fn template(
        &mut self,
        literal: &LitStr,
        role: Role,
    ) -> syn::Result<Option<Template>> {
        match Template::parse(literal, role) {
            Ok(template) => Ok(Some(template)),
            Err(Flaw::Braces) => {
                self.rustc_says.push(template::rustc_says(literal));
                Ok(None)
            }
            Err(Flaw::Refused(text)) => Err(syn::Error::new(literal.span(), text)),
        }
    }
}

fn plain(key: &Ident, input: ParseStream<'_>, what: &str, example: &str) -> syn::Result<LitStr> {
    let literal = options::string(key, input, example)?;
    names::check_plain(what, &literal.value())
        .map_err(|text| syn::Error::new(literal.span(), text))?;
    Ok(literal)
}

fn read_backoff(key: &Ident, input: ParseStream<'_>) -> syn::Result<Backoff> {
    let literal = options::string(key, input, "\"1s..1h\"")?;
    duration::backoff(&literal.value()).map_err(|text| syn::Error::new(literal.span(), text))
}

fn read_outbox(input: ParseStream<'_>) -> syn::Result<bool> {
    let value = options::value(input)?;
    match &value {
        Expr::Path(path) if path.path.is_ident("required") => Ok(true),
        other => Err(syn::Error::new_spanned(
            other,
            "`outbox` takes `required` and nothing else: the job is then enqueued only inside a transaction, by `enqueue_in(&mut tx)`",
        )),
    }
}

fn read_path(input: ParseStream<'_>) -> syn::Result<Path> {
    match options::value(input)? {
        Expr::Path(path) => Ok(path.path),
        other => Err(syn::Error::new_spanned(
            other,
            "`on_cancel` takes the name of another job, which gets the same input",
        )),
    }
}

/// The variant of the policy, at the place of its word.
fn read_conflict(input: ParseStream<'_>) -> syn::Result<Ident> {
    let value = options::value(input)?;
    let text = "`on_conflict` takes `dedupe`, `error` or `replace`";
    let Expr::Path(path) = &value else {
        return Err(syn::Error::new_spanned(&value, text));
    };
    let word = path.path.get_ident().map(ToString::to_string);
    let word = word.unwrap_or_default();
    match CONFLICTS.iter().find(|(name, _)| *name == word) {
        Some((_, variant)) => Ok(Ident::new(variant, Span::call_site())),
        None => {
            let names: Vec<&str> = CONFLICTS.iter().map(|(name, _)| *name).collect();
            let text = match crate::suggest::closest(&word, &names) {
                Some(near) => format!("{text}; did you mean `{near}`?"),
                None => text.to_owned(),
            };
            Err(syn::Error::new_spanned(&value, text))
        }
    }
}

fn read_priority(input: ParseStream<'_>) -> syn::Result<u8> {
    let value = options::value(input)?;
    let text = format!("`priority` takes a number from 0, served first, to {MAX_PRIORITY}");
    let refused = syn::Error::new_spanned(&value, text);
    let Expr::Lit(ExprLit {
        lit: Lit::Int(literal),
        ..
    }) = &value
    else {
        return Err(refused);
    };
    match options::whole(literal) {
        Ok(number) if number <= MAX_PRIORITY => u8::try_from(number).map_err(|_| refused),
        _ => Err(refused),
    }
}

fn former_names(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Vec<LitStr>> {
    let list = options::strings(key, input, "[\"old-name\"]")?;
    Ok(options::each_once(list, errors, |name| {
        names::check_plain("job name", name)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn refusals(tokens: TokenStream) -> Vec<String> {
        let mut errors = Errors::default();
        parse(tokens, Kind::Job, &mut errors);
        errors.texts()
    }

    #[test]
    fn every_option_is_read() {
        let mut errors = Errors::default();
        let args = parse(
            quote!(
                idempotency = "a:{input.x}",
                name = "n",
                was = ["m"],
                queue = "q",
                outbox = required,
                priority = 0,
                tenant = "{input.t}",
                attempts = 3,
                backoff = "1s..1m",
                timeout = "10m",
                visibility_timeout = "30s",
                step_timeout = "1m",
                unique_for = "24h",
                on_conflict = replace,
                expires = "1h",
                on_cancel = other::job,
                removed = ["old"],
                allow = (raw_await),
                crate = my::runtime,
            ),
            Kind::Job,
            &mut errors,
        );
        assert_eq!(errors.texts(), Vec::<String>::new());
        assert!(matches!(args.idempotency, Some(Idempotency::Template(_))));
        assert_eq!(args.attempts, Some(3));
        assert_eq!(args.timeout_millis, Some(600_000));
        assert_eq!(args.priority, Some(0));
        assert_eq!(args.unique_for.map(|(millis, _)| millis), Some(86_400_000));
        assert_eq!(args.expires_millis, Some(3_600_000));
        assert!(
            args.on_conflict
                .is_some_and(|(policy, _)| policy == "Replace")
        );
        assert!(args.on_cancel.is_some());
        assert!(
            args.outbox && args.allowed.raw_await && args.krate.is_some() && args.tenant.is_some()
        );
    }

    #[test]
    fn a_typo_is_answered_with_the_option_meant() {
        assert_eq!(
            refusals(quote!(idempotancy = "a:{input.x}")),
            ["`#[job]` has no option `idempotancy`; did you mean `idempotency`?"]
        );
    }

    #[test]
    fn an_option_given_twice_names_the_first_place() {
        assert_eq!(
            refusals(quote!(attempts = 1, attempts = 2)),
            ["the option `attempts` is given twice (first on line 1); keep one of them"]
        );
    }

    #[test]
    fn each_wrong_value_is_one_error_and_the_rest_is_still_read() {
        let texts = refusals(quote!(
            attempts = "five",
            timeout = "10",
            priority = 12,
            queue = mail,
            was = "x",
            name,
            allow = raw_await,
            backoff = ,
            idempotency = input.id,
            visibility_timeout = "1q"
        ));
        assert_eq!(texts.len(), 10, "{texts:#?}");
        assert_eq!(
            texts[0],
            "`attempts` takes a whole number, as in `attempts = 5`"
        );
        assert_eq!(
            texts[5],
            "the option `name` needs a value: `name = \"welcome\"`"
        );
    }

    #[test]
    fn a_policy_that_does_not_exist_is_answered_with_those_that_do() {
        assert_eq!(
            refusals(quote!(on_conflict = replaced)),
            ["`on_conflict` takes `dedupe`, `error` or `replace`; did you mean `replace`?"]
        );
        assert_eq!(
            refusals(quote!(on_conflict = "replace")),
            ["`on_conflict` takes `dedupe`, `error` or `replace`"]
        );
    }

    #[test]
    fn a_job_is_tried_at_least_once() {
        assert_eq!(
            refusals(quote!(attempts = 0)),
            ["`attempts = 0` is not possible: a job is tried at least once"]
        );
    }

    #[test]
    fn a_missing_comma_is_one_error() {
        assert_eq!(
            refusals(quote!(attempts = 3 queue = "mail")),
            ["expected `,` before the next option"]
        );
    }
}
