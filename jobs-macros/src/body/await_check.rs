//! Which futures a body may wait for: steps, and whatever is built from steps. Lexical, with
//! taint: a variable that was given a step counts as one. Where in doubt the answer is yes,
//! because a future that is refused wrongly cannot be written at all.

use super::tokens;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::{Block, Expr, ExprCall, Macro, Pat, Path, Stmt};

/// Macros that wait themselves, so that what they give are values.
const WAITING_MACROS: &[&str] = &["join", "try_join", "select", "select_biased"];

const TIMEOUTS: &[&str] = &["timeout", "timeout_at"];

const SPAWNING: &[&str] = &["spawn", "spawn_blocking", "spawn_local", "spawn_on"];

/// Whose functions of these names start something beside the caller.
const SPAWNERS: &[&str] = &[
    "async_std",
    "rayon",
    "smol",
    "std",
    "task",
    "thread",
    "tokio",
];

const TIMERS: &[&str] = &["sleep", "sleep_until"];

/// The variables that may hold steps not yet awaited.
#[derive(Clone, Default)]
pub(super) struct Futures {
    names: BTreeSet<String>,
}

impl Futures {
    /// Whether the value of an expression may hold a step that is not yet awaited.
    pub(super) fn pending(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Array(list) => list.elems.iter().any(|e| self.pending(e)),
            // What stands inside is judged where it stands.
            Expr::Async(_) => true,
            Expr::Await(wait) => self.pending_after(&wait.base),
            Expr::Block(block) => self.pending_block(&block.block),
            Expr::Call(call) if is_foreign(call) => self.touch(&call.args.to_token_stream()),
            Expr::Call(call) => {
                self.pending(&call.func) || call.args.iter().any(|e| self.pending(e))
            }
            Expr::Cast(cast) => self.pending(&cast.expr),
            Expr::Closure(closure) => {
                closure.asyncness.is_some()
                    || matches!(*closure.body, Expr::Async(_))
                    || self.touch(&closure.body.to_token_stream())
            }
            Expr::Field(field) => self.pending(&field.base),
            Expr::Group(group) => self.pending(&group.expr),
            Expr::If(choice) => {
                let other = choice.else_branch.as_ref().map(|(_, other)| other);
                self.pending_block(&choice.then_branch) || other.is_some_and(|e| self.pending(e))
            }
            Expr::Index(index) => self.pending(&index.expr),
            Expr::Lit(_) => false,
            Expr::Macro(call) => self.pending_macro(&call.mac),
            Expr::Match(choice) => choice
                .arms
                .iter()
                .any(|arm| self.touch(&arm.body.to_token_stream())),
            Expr::MethodCall(call) => {
                self.pending(&call.receiver) || call.args.iter().any(|e| self.pending(e))
            }
            Expr::Paren(paren) => self.pending(&paren.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.knows(name)),
            Expr::Reference(reference) => self.pending(&reference.expr),
            Expr::Try(question) => self.pending(&question.expr),
            Expr::Tuple(list) => list.elems.iter().any(|e| self.pending(e)),
            Expr::Unary(unary) => self.pending(&unary.expr),
            other => self.touch(&other.to_token_stream()),
        }
    }

    /// An awaited step is a value, and so is an awaited variable. What a call on a variable gives
    /// may hand back further futures (`select_all` does), so there the doubt remains.
    fn pending_after(&self, awaited: &Expr) -> bool {
        match awaited {
            Expr::Paren(paren) => self.pending_after(&paren.expr),
            Expr::Macro(_) | Expr::Async(_) | Expr::Path(_) => false,
            Expr::Call(call) if gives_back_rest(call) => self.pending(awaited),
            other => self.mentions_known(other.to_token_stream()),
        }
    }

    fn pending_block(&self, block: &Block) -> bool {
        match block.stmts.last() {
            Some(Stmt::Expr(value, None)) => self.pending(value),
            Some(Stmt::Macro(last)) => self.pending_macro(&last.mac),
            _ => false,
        }
    }

    fn pending_macro(&self, mac: &Macro) -> bool {
        let waits = last_of(&mac.path).is_some_and(|name| WAITING_MACROS.contains(&name.as_str()));
        !waits && self.touch(&quote!(#mac))
    }

    /// Whether a step or a variable that may hold one is mentioned at all.
    pub(super) fn touch(&self, tokens: &TokenStream) -> bool {
        tokens::find_step(tokens).is_some() || self.mentions_known(tokens.clone())
    }

    fn mentions_known(&self, tokens: TokenStream) -> bool {
        tokens::any_ident(tokens, &mut |name| self.knows(name))
    }

    fn knows(&self, name: &proc_macro2::Ident) -> bool {
        self.names.contains(&name.to_string())
    }

    /// The names a pattern binds may hold steps from now on.
    pub(super) fn bind(&mut self, pat: &Pat) {
        each_variable(pat, |name| {
            self.names.insert(name);
        });
    }

    /// The names a pattern binds hold plain values from now on.
    pub(super) fn unbind(&mut self, pat: &Pat) {
        each_variable(pat, |name| {
            self.names.remove(&name);
        });
    }

    /// At the end of a block its variables are gone, and those they shadowed are back.
    pub(super) fn leave_block(&mut self, before: &Futures) {
        self.names.extend(before.names.iter().cloned());
    }

    /// Notes what an expression does to variables, apart from `let`.
    pub(super) fn note(&mut self, expr: &Expr) {
        match expr {
            Expr::Assign(assign) if self.pending(&assign.right) => self.bind_root(&assign.left),
            Expr::Call(call) if call.args.iter().any(|e| self.pending(e)) => {
                self.bind_closures(call.args.iter());
            }
            Expr::ForLoop(each) if self.pending(&each.expr) => self.bind(&each.pat),
            Expr::Let(condition) if self.pending(&condition.expr) => self.bind(&condition.pat),
            Expr::Match(choice) if self.pending(&choice.expr) => {
                for arm in &choice.arms {
                    self.bind(&arm.pat);
                }
            }
            Expr::MethodCall(call) => {
                if self.pending(&call.receiver) {
                    self.bind_closures(call.args.iter());
                }
                // `list.push(step)` keeps what it is given; `list.map(closure)` does not.
                let is_kept = |e: &Expr| !matches!(e, Expr::Closure(_)) && self.pending(e);
                if call.args.iter().any(is_kept) {
                    self.bind_root(&call.receiver);
                }
            }
            _ => {}
        }
    }

    /// `list.push(step)` and `holder.field = step` put a step into `list` and `holder`.
    fn bind_root(&mut self, expr: &Expr) {
        match expr {
            Expr::Field(field) => self.bind_root(&field.base),
            Expr::Index(index) => self.bind_root(&index.expr),
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    self.names.insert(name.to_string());
                }
            }
            Expr::Reference(reference) => self.bind_root(&reference.expr),
            _ => {}
        }
    }

    fn bind_closures<'e>(&mut self, arguments: impl Iterator<Item = &'e Expr>) {
        for argument in arguments {
            if let Expr::Closure(closure) = argument {
                for parameter in &closure.inputs {
                    self.bind(parameter);
                }
            }
        }
    }
}

fn each_variable(pat: &Pat, mut act: impl FnMut(String)) {
    tokens::any_ident(pat.to_token_stream(), &mut |name| {
        let name = name.to_string();
        let is_variable = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        if is_variable && !matches!(name.as_str(), "mut" | "ref") {
            act(name);
        }
        false
    });
}

/// Calls that take any future and give one that is none of ours.
fn is_foreign(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else {
        return false;
    };
    last_of(&path.path)
        .is_some_and(|name| SPAWNING.contains(&name.as_str()) || TIMEOUTS.contains(&name.as_str()))
}

/// `select(a, b).await` gives back the future that lost.
fn gives_back_rest(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else {
        return false;
    };
    last_of(&path.path).is_some_and(|name| name.starts_with("select") || name == "into_future")
}

/// Ways in which a body ends its lease by itself, as methods of its `JobContext`: what comes after
/// is not reached, so nothing can run twice.
const LEAVING: &[&str] = &["continue_as", "snooze"];

/// `job.snooze(..)`, or another call that ends the lease.
pub(super) fn leaves(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => {
            let is_variable = matches!(&*call.receiver, Expr::Path(_));
            is_variable && LEAVING.iter().any(|name| call.method == name)
        }
        Expr::Paren(paren) => leaves(&paren.expr),
        _ => false,
    }
}

/// A step handed to a spawned task, which outlives the run.
pub(super) fn spawned(expr: &Expr) -> Option<syn::Error> {
    let (name, span, arguments) = match expr {
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else {
                return None;
            };
            let last = path.path.segments.last()?;
            (last.ident.to_string(), last.ident.span(), &call.args)
        }
        Expr::MethodCall(call) => (call.method.to_string(), call.method.span(), &call.args),
        _ => return None,
    };
    if !SPAWNING.contains(&name.as_str()) {
        return None;
    }
    tokens::find_step(&arguments.to_token_stream())?;
    Some(syn::Error::new(
        span,
        format!(
            "a step in `{name}`: a spawned task outlives the run and is not replayed; run steps side by side with `tokio::join!` or `join_all`"
        ),
    ))
}

/// Something other than a step, started beside the run.
pub(super) fn started(expr: &Expr, owner: &str) -> Option<syn::Error> {
    let Expr::Call(ExprCall { func, .. }) = expr else {
        return None;
    };
    let Expr::Path(path) = &**func else {
        return None;
    };
    let mut segments = path.path.segments.iter().rev();
    let (last, around) = (segments.next()?, segments.next()?);
    let is_known = SPAWNING.iter().any(|name| last.ident == name)
        && SPAWNERS.iter().any(|name| around.ident == name);
    if !is_known {
        return None;
    }
    let name = &last.ident;
    Some(syn::Error::new(
        name.span(),
        format!(
            "`{name}` outside a step: a replay would start this again; put it in a step, `step!(\"name\", ..).await`, or allow it with `#[{owner}(allow = (raw_await))]`"
        ),
    ))
}

/// What is wrong with an `.await` of something that is no step.
pub(super) fn raw(awaited: &Expr, owner: &str) -> String {
    let sleeps = match awaited {
        Expr::Call(ExprCall { func, .. }) => match &**func {
            Expr::Path(path) => last_of(&path.path).filter(|name| TIMERS.contains(&name.as_str())),
            _ => None,
        },
        _ => None,
    };
    let (rule, remedy) = match sleeps {
        Some(name) => (
            format!("`{name}` outside a step starts anew on every replay, and holds its worker"),
            "use `step!(\"name\", sleep = \"3d\")`, which does neither",
        ),
        None => (
            "awaited outside a step: a replay would run this again".to_owned(),
            "put it in a step, `step!(\"name\", ..).await`",
        ),
    };
    format!("{rule}; {remedy}, or allow it with `#[{owner}(allow = (raw_await))]`")
}

/// A timeout of the async runtime around a step.
pub(super) fn timed(expr: &Expr, futures: &Futures) -> Option<syn::Error> {
    let Expr::Call(ExprCall { func, args, .. }) = expr else {
        return None;
    };
    let Expr::Path(path) = &**func else {
        return None;
    };
    let last = path.path.segments.last()?;
    let is_timeout = TIMEOUTS.iter().any(|name| last.ident == name);
    if !is_timeout || !futures.touch(&args.to_token_stream()) {
        return None;
    }
    let name = &last.ident;
    Some(syn::Error::new(
        name.span(),
        format!(
            "`{name}` around a step is not durable: it starts anew on every replay; give the step its own, `step!(\"name\", timeout = \"30s\", ..)`"
        ),
    ))
}

/// What a call is given.
pub(super) fn arguments(expr: &Expr) -> TokenStream {
    let given = match expr {
        Expr::Call(call) => &call.args,
        Expr::MethodCall(call) => &call.args,
        _ => return TokenStream::new(),
    };
    given.iter().map(|argument| quote!(#argument,)).collect()
}

pub(super) fn last_of(path: &Path) -> Option<String> {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
}
