//! Walks a parsed body, marks its steps and judges where they stand. What an `.await` may wait
//! for is decided in `await_check`, macros of others are opened in `other_macros`.

use super::await_check::{self, Futures};
use super::call::StepCall;
use super::form::{Form, Run};
use super::lost_write::{self, Bound};
use super::scope::Repetition;
use super::tokens::{self, STEP};
use super::{
    Marked, Policy, Site, Tag, borrowed_result, cfg, context, emit, form, former, no_future, parts,
    refusal, unstable,
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

pub(super) struct Marker<'a> {
    pub(super) errors: &'a mut Errors,
    pub(super) policy: &'a Policy,
    pub(super) futures: Futures,
    pub(super) repetition: Repetition,
    /// The conditions under which the code here is compiled.
    pub(super) cfgs: Vec<Attribute>,
    /// How many conditions were seen around the code here: more than `cfgs` where one stands
    /// elsewhere than at a statement or an arm.
    pub(super) conditions: usize,
    /// rustc sees each step here once, so that it can be tied to a tag.
    pub(super) tied: bool,
    /// Within an `fn` or another item of its own: its code is not the job's.
    in_item: bool,
    /// Helpers that are defined in the body, where the list of its steps cannot name them.
    pub(super) inner_helpers: Vec<Ident>,
    /// The variables of the body and of its signature.
    pub(super) bound: Bound,
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
            cfgs: Vec::new(),
            conditions: 0,
            tied: policy.described,
            in_item: false,
            inner_helpers: Vec::new(),
            bound: Bound::default(),
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
        let tag = Tag::of(&form, self.steps.len(), self.is_tied());
        self.steps.push(self.site(&template, formers, tag, &form));
        let nested = parts::body(&mut form).is_some_and(|body| self.refuse_nested(body, &literal));
        if let Form::Run(run) = &mut form
            && !nested
        {
            self.refuse_in_body(run);
        }
        for outside in parts::evaluated_outside(&mut form) {
            self.visit_expr_mut(outside);
        }
        let (krate, context) = (&self.policy.krate, context());
        Ok(emit::marked(krate, &context, &name, tag, &form))
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
        } else if let Some(first) = self
            .steps
            .iter()
            .find(|site| site.skeleton == skeleton && site.meets(&self.cfgs))
        {
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
            cfgs: self.cfgs.clone(),
            formers,
            at_most_once,
            tx,
            subject: form.subject(),
            tag,
            helper,
        }
    }

    fn refuse_nested(&mut self, body: &mut TokenStream, outer: &LitStr) -> bool {
        let Some(inner) = tokens::find_step(body) else {
            return false;
        };
        let outer = outer.to_token_stream();
        self.errors.at(
            inner,
            format!("a step in a step: a step is recorded as a whole, so it cannot hold another; move this one before or after {outer}"),
        );
        *body = self.mark_silently(body.clone());
        true
    }

    /// What the step's own body must not do. What rustc cannot read stays as it is.
    fn refuse_in_body(&self, run: &mut Run) {
        let Some(mut body) = run.body.parsed.take() else {
            return;
        };
        let mut refused = no_future::refuse(&mut body) || borrowed_result::refuse(&mut body);
        if run.body.moves.is_none() {
            let mut inside = Bound::default();
            inside.read(&mut body.clone());
            if let Some((tx, _)) = &mut run.tx {
                inside.read(tx);
            }
            refused |= lost_write::refuse(&mut body, &inside, &self.bound);
        }
        if refused {
            run.body.tokens = body.to_token_stream();
        }
        run.body.parsed = Some(body);
    }

    /// Marks steps that were refused already, so that they bring no second error.
    pub(super) fn mark_silently(&mut self, body: TokenStream) -> TokenStream {
        let mut unheard = Errors::default();
        // What is scanned has no tags; nobody would declare them.
        Marker::new(&mut unheard, self.policy).scan(body)
    }

    fn warn(&mut self, expr: &Expr) {
        if self.policy.allowed.unstable_values {
            return;
        }
        if let Some((span, text)) = unstable::in_expression(expr) {
            let (cfgs, warning) = (&self.cfgs, unstable::warning(span, &text));
            self.warnings.push(quote!(#(#cfgs)* #warning));
        }
    }

    fn refuse(&mut self, expr: &mut Expr) -> bool {
        let refused = await_check::spawned(expr).or_else(|| match self.policy.allowed.raw_await {
            true => None,
            false => await_check::timed(expr, &self.futures)
                .or_else(|| await_check::started(expr, self.policy.owner)),
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
            // Of these it is said at the call.
            && await_check::started(&wait.base, self.policy.owner).is_none()
        {
            self.refuse_raw_await(&wait.base, wait.await_token.span);
        }
    }

    pub(super) fn refuse_raw_await(&mut self, awaited: &Expr, span: Span) {
        if !self.policy.allowed.raw_await && !self.in_item {
            self.errors
                .at(span, await_check::raw(awaited, self.policy.owner));
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
        self.inside(|marker| visit_mut::visit_expr_mut(marker, expr));
    }

    /// Comes before what else a node holds.
    fn visit_attribute_mut(&mut self, attr: &mut Attribute) {
        self.conditions += usize::from(cfg::is_condition(attr));
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        match &local.init {
            Some(init) if self.futures.pending(&init.expr) => self.futures.bind(&local.pat),
            _ => self.futures.unbind(&local.pat),
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        self.under(cfg::of_statement(statement), |marker| {
            visit_mut::visit_stmt_mut(marker, statement);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.under(cfg::of(&arm.attrs), |marker| {
            visit_mut::visit_arm_mut(marker, arm);
        });
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
