//! `was = ["old"]` on a step: the names under which its records may still stand in a journal.
//! Here it is read, and no name may lead to two steps of one body.

use super::Site;
use super::call::{StepCall, Value};
use crate::errors::Errors;
use crate::template::{Flaw, Role, Template};
use crate::{names, options, template};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, LitStr};

/// What `was` holds; what is wrong in it is in `errors`, and left out. An `Err` is what rustc shall
/// say about mismatched braces.
pub(super) fn read(call: &StepCall, errors: &mut Errors) -> Result<Vec<Template>, TokenStream> {
    let Some(option) = call.option("was") else {
        return Ok(Vec::new());
    };
    let refused = "`was` takes a list of texts, the newest first, as in `was = [\"old-name\"]`";
    let Value::Expr(Expr::Array(list)) = &option.value else {
        errors.at(option.key.span(), refused);
        return Ok(Vec::new());
    };
    let mut formers: Vec<Template> = Vec::new();
    for element in &list.elems {
        let Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) = &options::bare(element.clone())
        else {
            errors.over(element, refused);
            continue;
        };
        match one(literal) {
            Ok(former) => formers.push(former),
            Err(Flaw::Braces) => return Err(template::rustc_says(literal)),
            Err(Flaw::Refused(text)) => errors.at(literal.span(), text),
        }
    }
    Ok(formers)
}

fn one(literal: &LitStr) -> Result<Template, Flaw> {
    names::check_step(&literal.value()).map_err(Flaw::Refused)?;
    Template::parse(literal, Role::StepName)
}

/// Refuses a name in `was` that would not lead to this step, or to others beside it.
pub(super) fn check(
    formers: &[Template],
    name: &Template,
    repeated: bool,
    earlier: &[Site],
    errors: &mut Errors,
) {
    let mut seen = Vec::new();
    for former in formers {
        let (skeleton, span) = (former.skeleton(), former.literal.span());
        let quoted = former.literal.to_token_stream();
        if skeleton == name.skeleton() {
            let text = format!(
                "{quoted} is what this step is called now; `was` lists the names it had before"
            );
            errors.at(span, text);
        } else if seen.contains(&skeleton) {
            errors.at(span, "this name is in the list already; remove it");
        } else if let Some(other) = earlier.iter().find(|site| site.answers_to(&skeleton)) {
            errors.at(span, taken(&quoted, &skeleton, other));
        } else if repeated && former.is_constant() && !name.is_constant() {
            errors.at(
                span,
                format!("{quoted} is the same on every pass, so its record would serve only the first; put what differs into it, as in the name"),
            );
        }
        seen.push(skeleton);
    }
}

fn taken(quoted: &TokenStream, skeleton: &str, other: &Site) -> String {
    let (name, line) = (&other.name, other.line);
    if other.skeleton == *skeleton {
        return format!(
            "{quoted} is the name of another step (on line {line}), and a record serves one step; remove it here"
        );
    }
    format!(
        "{quoted} is a former name of step \"{name}\" (on line {line}), and a record serves one step; remove it from one of the two"
    )
}

impl Site {
    /// Whether records under this name are this step's.
    pub(crate) fn answers_to(&self, skeleton: &str) -> bool {
        self.skeleton == skeleton || self.was(skeleton)
    }

    pub(crate) fn was(&self, skeleton: &str) -> bool {
        self.formers
            .iter()
            .any(|former| former.skeleton() == skeleton)
    }
}
