//! Templates: `"signup:{input.user_id}"` is the texts `["signup:", ""]` around the hole
//! `input.user_id`. This file reads them, keeps them injective (no two inputs may give one text)
//! and writes the expression of a hole. It does not know which names are in scope.

use crate::place;
use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::LitStr;

pub(crate) struct Template {
    pub(crate) literal: LitStr,
    /// One more than there are holes: what stands before, between and after them.
    pub(crate) texts: Vec<String>,
    pub(crate) holes: Vec<Hole>,
}

/// A variable and the fields taken from it.
#[derive(Debug, PartialEq)]
pub(crate) struct Hole {
    pub(crate) path: Vec<String>,
}

/// What a template is for; only the remedy in the errors depends on it.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    Key,
    Limit,
    StepName,
    Tenant,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Flaw {
    /// Braces do not match. rustc alone has spans inside a literal, so it shall say so itself:
    /// see [`rustc_says`].
    Braces,
    Refused(String),
}

impl Template {
    pub(crate) fn parse(literal: &LitStr, role: Role) -> Result<Self, Flaw> {
        let text = literal.value();
        let (texts, holes) = Scanner::new(&text, role).run()?;
        check_separators(&texts, &holes, role)?;
        Ok(Template {
            literal: literal.clone(),
            texts,
            holes,
        })
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.holes.is_empty()
    }

    /// Equal for two templates that can give the same text whatever stands in their holes.
    pub(crate) fn skeleton(&self) -> String {
        self.texts.join("{}")
    }

    /// `input.user_id` as an expression, with the literal as its place.
    pub(crate) fn hole_expression(&self, hole: &Hole) -> TokenStream {
        let span = place::theirs_at(self.literal.span());
        let mut tokens = TokenStream::new();
        for (position, part) in hole.path.iter().enumerate() {
            if position > 0 {
                let mut dot = Punct::new('.', Spacing::Alone);
                dot.set_span(span);
                tokens.extend([TokenTree::from(dot)]);
            }
            // The variable is resolved where the literal was written, which may have come into a
            // `macro_rules!` together with it; rustc makes no suggestions about our fields.
            let span = if position == 0 {
                self.literal.span()
            } else {
                span
            };
            tokens.extend([part_token(part, span)]);
        }
        tokens
    }
}

/// A call of rustc's own `format_args!` on a literal that it will refuse.
pub(crate) fn rustc_says(literal: &LitStr) -> TokenStream {
    quote::quote!(::core::format_args!(#literal))
}

fn part_token(part: &str, span: Span) -> TokenTree {
    if let Ok(index) = part.parse::<u32>() {
        let mut literal = Literal::u32_unsuffixed(index);
        literal.set_span(span);
        return literal.into();
    }
    match syn::parse_str::<Ident>(part) {
        Ok(mut ident) => {
            ident.set_span(span);
            ident.into()
        }
        // A keyword: `{input.type}` can only mean the raw identifier.
        Err(_) => Ident::new_raw(part, span).into(),
    }
}

struct Scanner<'a> {
    text: &'a str,
    role: Role,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, role: Role) -> Self {
        Scanner { text, role, at: 0 }
    }

    fn run(mut self) -> Result<(Vec<String>, Vec<Hole>), Flaw> {
        let (mut texts, mut holes) = (vec![String::new()], Vec::new());
        while let Some(c) = self.text[self.at..].chars().next() {
            let doubled = self.text[self.at + c.len_utf8()..].starts_with(c);
            match c {
                '{' | '}' if doubled => {
                    push(&mut texts, c);
                    self.at += 2;
                }
                '}' => return Err(Flaw::Braces),
                '{' => {
                    holes.push(self.hole()?);
                    texts.push(String::new());
                }
                c => {
                    push(&mut texts, c);
                    self.at += c.len_utf8();
                }
            }
        }
        Ok((texts, holes))
    }

    /// Reads from an opening brace to just after the closing one.
    fn hole(&mut self) -> Result<Hole, Flaw> {
        let start = self.at + 1;
        let length = self.text[start..]
            .find(['{', '}'])
            .ok_or_else(|| self.unclosed(start))?;
        let inside = &self.text[start..start + length];
        if self.text[start + length..].starts_with('{') {
            return Err(Flaw::Braces);
        }
        if inside.trim().is_empty() {
            return Err(self.refuse(
                start,
                "an empty placeholder; name a value, as in `{input.user_id}`",
            ));
        }
        if let Some(colon) = inside.find(':') {
            return Err(self.refuse(
                start + colon,
                "format options are not allowed here: the text must not depend on how a value is printed",
            ));
        }
        let mut path = Vec::new();
        let mut offset = start;
        for part in inside.split('.') {
            path.push(self.part(part, offset, path.is_empty())?);
            offset += part.len() + 1;
        }
        self.at = start + length + 1;
        Ok(Hole { path })
    }

    /// rustc knows no fields in a placeholder, so of `{input.id` it would refuse the dot.
    fn unclosed(&self, start: usize) -> Flaw {
        if !self.text[start..].contains('.') {
            return Flaw::Braces;
        }
        self.refuse(
            start - 1,
            "this `{` is never closed; write `}` after the placeholder, or `{{` for a brace",
        )
    }

    fn part(&self, part: &str, offset: usize, is_root: bool) -> Result<String, Flaw> {
        let name = part.strip_prefix("r#").unwrap_or(part);
        let is_index = !is_root && !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
        let is_name = [name, &format!("r#{name}")]
            .iter()
            .any(|spelling| syn::parse_str::<Ident>(spelling).is_ok());
        if is_index && name.parse::<u32>().is_ok() || is_name {
            return Ok(name.to_owned());
        }
        let remedy = match self.role {
            Role::Key => "for anything else use a closure: `idempotency = |input| format!(..)`",
            Role::StepName => "for anything else bind a variable with `let` before the step",
            Role::Limit | Role::Tenant => "for anything else add a field to the input",
        };
        Err(self.refuse(
            offset,
            &format!(
                "a placeholder holds a variable and its fields, as in `{{item.id}}`; {remedy}"
            ),
        ))
    }

    /// There are no spans inside a literal on stable, so the place is drawn into the message.
    fn refuse(&self, offset: usize, message: &str) -> Flaw {
        let before = self.text[..offset].chars().count();
        Flaw::Refused(format!(
            "{message}\n\n    {}\n    {}^",
            self.text,
            " ".repeat(before)
        ))
    }
}

fn push(texts: &mut [String], c: char) {
    if let Some(last) = texts.last_mut() {
        last.push(c);
    }
}

/// Values are percent-encoded outside `[A-Za-z0-9_.-]`, so only a character outside that set
/// (and not `%` itself) shows for sure where one value ends and the next begins.
fn check_separators(texts: &[String], holes: &[Hole], role: Role) -> Result<(), Flaw> {
    for (pair, between) in holes.windows(2).zip(&texts[1..]) {
        let separates = |c: char| !(c.is_ascii_alphanumeric() || "_.-%".contains(c));
        if between.contains(separates) {
            continue;
        }
        let (left, right) = (pair[0].path.join("."), pair[1].path.join("."));
        let what = match role {
            Role::Key => "give one key to different inputs",
            Role::Limit => "give one limit to different inputs",
            Role::StepName => "give one name to different steps",
            Role::Tenant => "give one tenant to different inputs",
        };
        return Err(Flaw::Refused(format!(
            "`{{{left}}}{between}{{{right}}}` can {what}, because nothing marks where one value ends; put a `:` between them: `{{{left}}}:{{{right}}}`"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Template, Flaw> {
        Template::parse(&LitStr::new(text, Span::call_site()), Role::Key)
    }

    fn refusal(text: &str) -> String {
        match parse(text) {
            Err(Flaw::Refused(text)) => text,
            Err(Flaw::Braces) => "braces".to_owned(),
            Ok(_) => "accepted".to_owned(),
        }
    }

    #[test]
    fn texts_stand_around_the_holes() {
        let template = parse("signup:{input.user_id}:{input.pair.0}").ok().unwrap();
        assert_eq!(template.texts, ["signup:", ":", ""]);
        assert_eq!(template.holes[1].path, ["input", "pair", "0"]);
        assert_eq!(template.skeleton(), "signup:{}:{}");
    }

    #[test]
    fn doubled_braces_are_text() {
        let template = parse("{{a}}").ok().unwrap();
        assert!(template.is_constant());
        assert_eq!(template.texts, ["{a}"]);
    }

    #[test]
    fn mismatched_braces_are_left_to_rustc() {
        for text in ["a:{input", "a}b", "a:{b{c}}", "{"] {
            assert_eq!(refusal(text), "braces", "{text}");
        }
    }

    #[test]
    fn format_options_are_refused_with_a_caret() {
        let text = refusal("é:{input.x:?}");
        assert!(text.contains("format options"), "{text}");
        assert!(
            text.ends_with("\n    é:{input.x:?}\n              ^"),
            "{text}"
        );
    }

    #[test]
    fn calls_indexes_and_roots_that_are_no_variables_are_refused() {
        for text in [
            "{input.id()}",
            "{a[0]}",
            "{}",
            "{ }",
            "{a..b}",
            "{0}",
            "{self.x}",
            "{a b}",
            "{a.Ⓐ}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn neighbours_need_a_separator() {
        for text in ["{a}{b}", "{a}-{b}", "{a}1{b}", "{a}%{b}", "x:{a}:{b}_{c}"] {
            assert!(refusal(text).contains("put a `:`"), "{text}");
        }
        for text in ["{a}:{b}", "{a} {b}", "{a}-:-{b}", "{a}/{b}"] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn keywords_become_raw_identifiers() {
        let template = parse("{input.type}:{r#match.0}").ok().unwrap();
        let tokens: Vec<String> = template
            .holes
            .iter()
            .map(|hole| template.hole_expression(hole).to_string())
            .collect();
        assert_eq!(tokens, ["input . r#type", "r#match . 0"]);
    }
}
