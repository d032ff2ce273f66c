//! Parses `limit = (key = "{input.org_id}", concurrency = 5, rate = "100/min")`. Whether the key
//! reads the input is checked with the other templates; what a limit does is said in the runtime.

use super::args::Args;
use crate::errors::Errors;
use crate::options::{self, Rule, Seen};
use crate::template::{Role, Template};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::LitStr;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

const RULES: &[Rule] = &[
    Rule {
        name: "concurrency",
        example: "5",
    },
    Rule {
        name: "key",
        example: "\"{input.org_id}\"",
    },
    Rule {
        name: "rate",
        example: "\"100/min\"",
    },
];

/// The most starts in a span; as in the runtime.
const MAX_STARTS: u32 = 1_000_000;

/// What can be a unit of a span, with its milliseconds; as in the runtime.
const UNITS: [(&str, u64); 8] = [
    ("s", 1_000),
    ("sec", 1_000),
    ("min", 60_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("hour", 3_600_000),
    ("d", 86_400_000),
    ("day", 86_400_000),
];

#[derive(Default)]
pub(crate) struct LimitArgs {
    pub(crate) key: Option<Template>,
    concurrency: Option<u32>,
    /// Starts, and the milliseconds in which they may be.
    rate: Option<(u32, u64)>,
}

impl LimitArgs {
    /// The value that is registered.
    pub(super) fn definition(&self, krate: &TokenStream) -> TokenStream {
        let concurrency = match self.concurrency {
            Some(most) => quote!(::core::option::Option::Some(#most)),
            None => quote!(::core::option::Option::None),
        };
        let rate = match self.rate {
            Some((count, millis)) => quote! {
                ::core::option::Option::Some(#krate::private::Rate::new(
                    #count,
                    #krate::private::Millis(#millis),
                ))
            },
            None => quote!(::core::option::Option::None),
        };
        quote!(#krate::private::Limit { concurrency: #concurrency, rate: #rate })
    }
}

impl Args {
    pub(super) fn read_limit(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        let form = "`limit` takes a list, as in `limit = (key = \"{input.org_id}\", concurrency = 5, rate = \"100/min\")`";
        if !input.peek(syn::token::Paren) {
            return Err(input.error(form));
        }
        let inside;
        syn::parenthesized!(inside in input);
        let mut limit = LimitArgs::default();
        let mut seen = Seen::new(RULES, "`limit`");
        let before = errors.len();
        options::read_all(&inside, &mut seen, errors, |key, input, _| {
            match key.unraw().to_string().as_str() {
                "concurrency" => {
                    let least = "no job would ever run";
                    limit.concurrency = Some(options::count(key, &input.parse()?, least)?);
                }
                "key" => {
                    let literal = options::string(key, input, "\"{input.org_id}\"")?;
                    limit.key = self.template(&literal, Role::Limit)?;
                    if limit.key.as_ref().is_some_and(Template::is_constant) {
                        let text = "this limit key is the same for every input; add a placeholder, or leave `key` out to count all jobs of this definition together";
                        return Err(syn::Error::new(literal.span(), text));
                    }
                }
                _ => {
                    let literal = options::string(key, input, "\"100/min\"")?;
                    limit.rate = Some(read_rate(&literal)?);
                }
            }
            Ok(())
        });
        let is_empty = !seen.has("concurrency") && !seen.has("rate");
        if is_empty && errors.len() == before {
            let text = "a limit without `concurrency` and `rate` holds nothing back; add one, as in `concurrency = 5`";
            return Err(syn::Error::new(key.span(), text));
        }
        self.limit = Some(limit);
        Ok(())
    }
}

fn read_rate(literal: &LitStr) -> syn::Result<(u32, u64)> {
    let text = literal.value();
    let refused = |why: String| syn::Error::new(literal.span(), why);
    let Some((count, unit)) = text.split_once('/') else {
        return Err(refused(format!(
            "a rate says how many starts in which time: write \"{}/min\"",
            if text.parse::<u32>().is_ok() {
                text.as_str()
            } else {
                "100"
            }
        )));
    };
    let Some((_, millis)) = UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
        return Err(refused(format!(
            "unknown unit `{}`; units of a rate are s, min, h, d",
            unit.trim()
        )));
    };
    match count.trim().parse() {
        Ok(count) if (1..=MAX_STARTS).contains(&count) => Ok((count, *millis)),
        _ => Err(refused(format!(
            "`{}` is no number of starts; write a whole number from 1 to {MAX_STARTS}",
            count.trim()
        ))),
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
        (args, errors.texts())
    }

    #[test]
    fn a_limit_is_read_whole() {
        let (args, errors) = read(quote!(
            limit = (key = "{input.org}", concurrency = 5, rate = "100/min")
        ));
        assert!(errors.is_empty(), "{errors:?}");
        let limit = args.limit.unwrap();
        assert_eq!(limit.concurrency, Some(5));
        assert_eq!(limit.rate, Some((100, 60_000)));
        assert!(limit.key.is_some());
    }

    #[test]
    fn each_mistake_is_said_once() {
        let cases = [
            (quote!(limit = 5), "takes a list"),
            (quote!(limit = ()), "holds nothing back"),
            (quote!(limit = (key = "{input.org}")), "holds nothing back"),
            (quote!(limit = (concurrency = 0)), "no job would ever run"),
            (quote!(limit = (rate = "100")), "write \"100/min\""),
            (quote!(limit = (rate = "100/week")), "units of a rate"),
            (quote!(limit = (rate = "0/s")), "from 1 to"),
            (
                quote!(limit = (concurency = 5)),
                "did you mean `concurrency`",
            ),
            (
                quote!(limit = (key = "everyone", concurrency = 5)),
                "placeholder",
            ),
        ];
        for (tokens, wanted) in cases {
            let (_, errors) = read(tokens);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].contains(wanted), "{errors:?}");
        }
    }
}
