//! Parses `debounce = "10s"` and `throttle = "1m"`, which may also be lists, as in
//! `debounce = (span = "10s", edge = both, at_most = "1m")`. What a window does is said in the
//! runtime.

use super::args::Args;
use crate::body;
use crate::errors::Errors;
use crate::options::{self, Rule, Seen};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Expr;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

const DEBOUNCE: &[Rule] = &[
    Rule {
        name: "at_most",
        example: "\"1m\"",
    },
    Rule {
        name: "edge",
        example: "trailing",
    },
    Rule {
        name: "span",
        example: "\"10s\"",
    },
];

const THROTTLE: &[Rule] = &[
    Rule {
        name: "edge",
        example: "both",
    },
    Rule {
        name: "span",
        example: "\"1m\"",
    },
];

/// The words, and the variants that they stand for.
const EDGES: [(&str, &str); 3] = [
    ("leading", "Leading"),
    ("trailing", "Trailing"),
    ("both", "Both"),
];

#[derive(Clone)]
pub(crate) struct WindowArgs {
    /// `debounce` or `throttle`.
    kind: Ident,
    span_millis: u64,
    edge: Option<Ident>,
    at_most_millis: Option<u64>,
}

impl WindowArgs {
    /// The value that is registered.
    pub(super) fn definition(&self, krate: &TokenStream) -> TokenStream {
        let (kind, span) = (&self.kind, body::millis(krate, self.span_millis));
        let edge = self
            .edge
            .as_ref()
            .map(|edge| quote!(.edge(#krate::private::Edge::#edge)));
        let at_most = self.at_most_millis.map(|millis| {
            let millis = body::millis(krate, millis);
            quote!(.at_most(#millis))
        });
        quote!(#krate::private::Window::#kind(#span) #edge #at_most)
    }

    pub(super) fn span(&self) -> Span {
        self.kind.span()
    }
}

impl Args {
    pub(super) fn read_window(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        let is_debounce = key.unraw() == "debounce";
        let mut window = WindowArgs {
            kind: key.clone(),
            span_millis: 0,
            edge: None,
            at_most_millis: None,
        };
        if input.peek(syn::token::Paren) {
            read_list(&mut window, is_debounce, input, errors)?;
        } else {
            let example = if is_debounce { "\"10s\"" } else { "\"1m\"" };
            window.span_millis = options::millis(key, input, example)?;
        }
        if let Some(first) = &self.window {
            let text = format!(
                "a job has one window, and `{}` is one already; remove one of them",
                first.kind
            );
            return Err(syn::Error::new(key.span(), text));
        }
        self.window = Some(window);
        Ok(())
    }

    /// Options that would say the same thing otherwise.
    pub(super) fn check_window(&self, errors: &mut Errors) {
        let Some(window) = &self.window else { return };
        let kind = &window.kind;
        if let Some((_, span)) = &self.on_conflict {
            errors.at(
                *span,
                format!("`{kind}` says already what becomes of an enqueue whose key is taken; remove `on_conflict`"),
            );
        }
        if let Some((_, span)) = &self.unique_for {
            errors.at(
                *span,
                format!("`{kind}` says already for how long a key is kept; remove `unique_for`"),
            );
        }
    }
}

fn read_list(
    window: &mut WindowArgs,
    is_debounce: bool,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let inside;
    syn::parenthesized!(inside in input);
    let (rules, owner) = match is_debounce {
        true => (DEBOUNCE, "`debounce`"),
        false => (THROTTLE, "`throttle`"),
    };
    let mut seen = Seen::new(rules, owner);
    let before = errors.len();
    options::read_all(&inside, &mut seen, errors, |key, input, _| {
        match key.unraw().to_string().as_str() {
            "at_most" => window.at_most_millis = Some(options::millis(key, input, "\"1m\"")?),
            "edge" => window.edge = Some(read_edge(input)?),
            _ => window.span_millis = options::millis(key, input, "\"10s\"")?,
        }
        Ok(())
    });
    if !seen.has("span") && errors.len() == before {
        let text = format!(
            "how long is it? Add its span, as in `{} = (span = \"10s\")`",
            window.kind
        );
        return Err(syn::Error::new(window.kind.span(), text));
    }
    Ok(())
}

/// The variant, at the place of its word.
fn read_edge(input: ParseStream<'_>) -> syn::Result<Ident> {
    let value = options::value(input)?;
    let text = "`edge` takes `leading`, which runs the first at once, `trailing`, which runs the last at the end, or `both`";
    let Expr::Path(path) = &value else {
        return Err(syn::Error::new_spanned(&value, text));
    };
    let word = path.path.get_ident().map(|word| word.unraw().to_string());
    let found = EDGES.iter().find(|(name, _)| word.as_deref() == Some(name));
    match found {
        Some((_, variant)) => Ok(Ident::new(variant, Span::call_site())),
        None => Err(syn::Error::new_spanned(&value, text)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, args};
    use crate::errors::Errors;
    use proc_macro2::TokenStream;
    use quote::quote;

    fn read(tokens: TokenStream) -> (args::Args, Vec<String>) {
        let mut errors = Errors::default();
        let args = args::parse(tokens, Kind::Job, &mut errors);
        args.check_window(&mut errors);
        (args, errors.texts())
    }

    #[test]
    fn a_window_is_a_span_or_a_list() {
        for tokens in [
            quote!(debounce = "10s"),
            quote!(debounce = (span = "10s", edge = both, at_most = "1m")),
            quote!(throttle = (span = "10s", edge = leading)),
        ] {
            let (args, errors) = read(tokens);
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(args.window.unwrap().span_millis, 10_000);
        }
    }

    #[test]
    fn each_mistake_is_said_once() {
        let cases = [
            (quote!(debounce = 10), "debounce"),
            (quote!(debounce = ()), "how long"),
            (
                quote!(throttle = (span = "1m", at_most = "2m")),
                "no option",
            ),
            (quote!(debounce = (span = "1m", edge = late)), "`trailing`"),
            (quote!(debounce = "1m", throttle = "1m"), "one window"),
            (
                quote!(debounce = "1m", on_conflict = replace),
                "remove `on_conflict`",
            ),
            (
                quote!(throttle = "1m", unique_for = "1h"),
                "remove `unique_for`",
            ),
        ];
        for (tokens, wanted) in cases {
            let (_, errors) = read(tokens);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].contains(wanted), "{errors:?}");
        }
    }
}
