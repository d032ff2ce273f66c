//! Walks a parsed body, marks its steps and judges where they stand. What an `.await` may wait
//! for is decided in `await_check`, macros of others are opened in `other_macros`.

use super::await_check::{self, Futures};
use super::call::StepCall;
use super::form::Form;
use super::tokens::{self, STEP};
use super::{
    Marked, Policy, Site, Tag, context, emit, form, former, parts, refusal, tag, unstable,
};
use crate::errors::Errors;
use crate::place;
use crate::template::{self, Flaw, Role, Template};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, Block, Expr, ExprClosure, ExprForLoop, ExprLoop, ExprWhile, Ident, Item,
    LitStr, Local, Macro, Stmt,
};

/// How often the code around a step runs in one pass of the body.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Repetition {
    Closure,
    Loop,
    Once,
}

pub(super) struct Marker<'a> {
    pub(super) errors: &'a mut Errors,
    pub(super) policy: &'a Policy,
    pub(super) futures: Futures,
    pub(super) repetition: Repetition,
    /// Within an `fn` or another item of its own: its code is not the job's.
    in_item: bool,
    /// rustc sees every step here, so that each can be tied to a tag.
    tied: bool,
    /// Helpers that are defined in the body, where the list of its steps cannot name them.
    pub(super) inner_helpers: Vec<Ident>,
    tags: usize,
    steps: Vec<Site>,
    warnings: Vec<TokenStream>,
}

impl<'a> Marker<'a> {
    pub(super) fn new(errors: &'a mut Errors, policy: &'a Policy) -> Self {
        Marker {
            errors,
            policy,
            futures: Futures::default(),
            repetition: Repetition::Once,
            in_item: false,
            tied: true,
            inner_helpers: Vec::new(),
            tags: 0,
            steps: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn finish(self, tokens: TokenStream, has_value: bool) -> Marked {
        Marked {
            tokens,
            steps: self.steps,
            warnings: self.warnings,
            has_value,
        }
    }

    /// What stands where rustc may see other steps than we do, or none.
    pub(super) fn untied<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.tied_if(false, work)
    }

    /// Within whatever is visited, `tied` may only be taken away.
    pub(super) fn tied_if<T>(&mut self, tied: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.tied;
        self.tied &= tied;
        let result = work(self);
        self.tied = outer;
        result
    }

    pub(super) fn repeated<T>(&mut self, by: Repetition, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.repetition, by);
        let result = work(self);
        self.repetition = outer;
        result
    }

    /// Marks the arguments of one `step!`. Where nothing can be made of the call, the arguments
    /// are its error.
    pub(super) fn mark(&mut self, step: Span, arguments: TokenStream) -> TokenStream {
        self.try_mark(step, arguments)
            .unwrap_or_else(|refused| refused)
    }

    fn try_mark(&mut self, step: Span, arguments: TokenStream) -> Result<TokenStream, TokenStream> {
        if self.in_item {
            return Err(refusal(syn::Error::new(
                step,
                "a step in an item of its own: only the body of the `#[job]` itself is recorded; move the step there, or use a closure",
            )));
        }
        let call = StepCall::parse(step, arguments, self.errors).map_err(refusal)?;
        let literal = match &call.name {
            Some(name) => name.clone(),
            None => form::default_name(step, &call).map_err(refusal)?,
        };
        let template = match Template::parse(&literal, Role::StepName) {
            Ok(template) => template,
            Err(Flaw::Braces) => {
                let said = template::rustc_says(&literal);
                return Err(quote!(@refused #said));
            }
            Err(Flaw::Refused(text)) => {
                return Err(refusal(syn::Error::new(literal.span(), text)));
            }
        };
        let formers = former::read(&call, self.errors).map_err(|said| quote!(@refused #said))?;
        let mut form = form::check(step, call, self.errors).map_err(refusal)?;
        self.check_name(&template, &formers);
        if let Form::Helper(call) = &form
            && let Some(error) = call.unlisted(self.policy, &self.inner_helpers)
        {
            return Err(refusal(error));
        }
        let name = emit::name(&self.policy.krate, &template, &formers);
        let tag = Tag::of(&form, self.tags, self.tied);
        self.tags += usize::from(tag.is_tied());
        self.steps.push(self.site(&template, formers, tag, &form));
        if let Some(body) = parts::body(&mut form) {
            self.refuse_nested(body, &literal);
        }
        for outside in parts::evaluated_outside(&mut form) {
            self.visit_expr_mut(outside);
        }
        Ok(emit::marked(
            &self.policy.krate,
            &context(),
            &name,
            tag,
            &form,
        ))
    }

    fn check_name(&mut self, template: &Template, formers: &[Template]) {
        let (literal, span) = (template.literal.value(), template.literal.span());
        let quoted = template.literal.to_token_stream();
        if let Err(text) = crate::names::check_step(&literal) {
            self.errors.at(span, text);
        }
        let skeleton = template.skeleton();
        let owner = match &self.policy.helper {
            Some(_) => "helper",
            None => "job",
        };
        if template.is_constant() && self.repetition != Repetition::Once {
            let (place, when) = match self.repetition {
                Repetition::Loop => ("a loop", "on every pass"),
                Repetition::Closure | Repetition::Once => ("a closure", "on every call"),
            };
            self.errors.at(
                span,
                format!("step {quoted} is in {place}, so it would get the same name {when}; put what differs into the name, as in `step!(\"{literal}:{{item.id}}\", ..)`"),
            );
        } else if let Some(first) = self.steps.iter().find(|site| site.skeleton == skeleton) {
            let line = first.line;
            self.errors.at(
                span,
                format!("step {quoted} is used twice in this {owner} (first on line {line}); a step is found again by its name, so give each its own"),
            );
        } else if let Some(other) = self.steps.iter().find(|site| site.was(&skeleton)) {
            let (name, line) = (&other.name, other.line);
            self.errors.at(
                span,
                format!("{quoted} is a former name of step \"{name}\" (on line {line}), whose records it leads to; give this step another name"),
            );
        }
        let repeated = self.repetition != Repetition::Once;
        former::check(formers, template, repeated, &self.steps, self.errors);
    }

    fn site(&self, template: &Template, formers: Vec<Template>, tag: Tag, form: &Form) -> Site {
        let (at_most_once, tx, helper) = match form {
            Form::Helper(call) => (false, false, Some(call.with_lifetime(&quote!('static)))),
            Form::Run(run) => (run.at_most_once, run.tx.is_some(), None),
            _ => (false, false, None),
        };
        Site {
            name: template.literal.value(),
            skeleton: template.skeleton(),
            kind: form.kind(),
            line: place::line(template.literal.span()),
            in_loop: self.repetition != Repetition::Once,
            formers,
            at_most_once,
            tx,
            subject: form.subject(),
            tag,
            helper,
        }
    }

    fn refuse_nested(&mut self, body: &mut TokenStream, outer: &LitStr) {
        let Some(inner) = tokens::find_step(body) else {
            return;
        };
        let outer = outer.to_token_stream();
        self.errors.at(
            inner,
            format!("a step in a step: a step is recorded as a whole, so it cannot hold another; move this one before or after {outer}"),
        );
        *body = self.mark_silently(body.clone());
    }

    /// Marks steps that were refused already, so that they bring no second error.
    pub(super) fn mark_silently(&mut self, body: TokenStream) -> TokenStream {
        let mut unheard = Errors::default();
        // Nobody declares tags for these.
        Marker::new(&mut unheard, self.policy).scan(body)
    }

    fn warn(&mut self, expr: &Expr) {
        if let Some((span, text)) = unstable::in_expression(expr) {
            self.warnings.push(unstable::warning(span, &text));
        }
    }

    fn refuse(&mut self, expr: &mut Expr) -> bool {
        let refused = await_check::spawned(expr).or_else(|| match self.policy.raw_await {
            true => None,
            false => await_check::timed(expr, &self.futures),
        });
        let Some(error) = refused else { return false };
        let error = error.into_compile_error();
        // What the call was given stays, and so its variables and imports stay used.
        let arguments = self.mark_silently(await_check::arguments(expr));
        *expr = Expr::Verbatim(quote!({ let _ = (#arguments); #error }));
        true
    }

    fn check_await(&mut self, expr: &Expr) {
        if let Expr::Await(wait) = expr
            && !self.futures.pending(&wait.base)
            && !await_check::leaves(&wait.base)
        {
            self.refuse_raw_await(wait.await_token.span);
        }
    }

    pub(super) fn refuse_raw_await(&mut self, span: Span) {
        if !self.policy.raw_await && !self.in_item {
            self.errors.at(
                span,
                "awaited outside a step: a replay would run this again; put it in a step, `step!(\"name\", ..).await`, or allow it with `#[job(allow = (raw_await))]`",
            );
        }
    }
}

/// Whether the item under these attributes marks its own steps.
fn marks_itself(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let last = attr.path().segments.last();
        last.is_some_and(|segment| segment.ident == "job" || segment.ident == "steps")
    })
}

impl VisitMut for Marker<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if !self.in_item {
            self.warn(expr);
            if self.refuse(expr) {
                return;
            }
            self.check_await(expr);
            self.futures.note(expr);
        }
        self.tied_if(true, |marker| visit_mut::visit_expr_mut(marker, expr));
    }

    /// Comes first of what a node holds, and ends with the node around it.
    fn visit_attribute_mut(&mut self, attr: &mut Attribute) {
        self.tied &= !tag::is_conditional(attr);
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        self.tied_if(true, |marker| visit_mut::visit_stmt_mut(marker, statement));
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.tied_if(true, |marker| visit_mut::visit_arm_mut(marker, arm));
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        match &local.init {
            Some(init) if self.futures.pending(&init.expr) => self.futures.bind(&local.pat),
            _ => self.futures.unbind(&local.pat),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let before = self.futures.clone();
        visit_mut::visit_block_mut(self, block);
        self.futures.leave_block(&before);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let Some(last) = mac.path.segments.last() else {
            return;
        };
        if last.ident != STEP {
            return self.open(mac);
        }
        mac.tokens = self.mark(last.ident.span(), mac.tokens.clone());
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.visit_attributes_mut(&mut closure.attrs);
        self.repeated(Repetition::Closure, |marker| {
            marker.visit_expr_mut(&mut closure.body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        self.visit_attributes_mut(&mut each.attrs);
        self.visit_expr_mut(&mut each.expr);
        self.repeated(Repetition::Loop, |marker| {
            marker.visit_block_mut(&mut each.body);
        });
    }

    fn visit_expr_loop_mut(&mut self, endless: &mut ExprLoop) {
        self.visit_attributes_mut(&mut endless.attrs);
        self.repeated(Repetition::Loop, |marker| {
            marker.visit_block_mut(&mut endless.body);
        });
    }

    fn visit_expr_while_mut(&mut self, each: &mut ExprWhile) {
        self.visit_attributes_mut(&mut each.attrs);
        self.repeated(Repetition::Loop, |marker| {
            marker.visit_expr_mut(&mut each.cond);
            marker.visit_block_mut(&mut each.body);
        });
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        match item {
            Item::Macro(item) => self.visit_macro_mut(&mut item.mac),
            // A job or a helper within a job.
            Item::Fn(inner) if marks_itself(&inner.attrs) => {}
            item => {
                let outer = std::mem::replace(&mut self.in_item, true);
                visit_mut::visit_item_mut(self, item);
                self.in_item = outer;
            }
        }
    }
}
