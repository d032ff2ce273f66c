//! Checks the signature of a job, and makes of it a [`Shape`] that can always be expanded: where
//! the signature is wrong the shape holds what was probably meant, so that nothing else fails.

use super::Kind;
use super::args::{Args, Idempotency};
use super::borrowed;
use super::item::JobFn;
use super::window::WindowArgs;
use crate::body;
use crate::errors::Errors;
use crate::names;
use crate::options;
use crate::suggest;
use crate::template::Template;
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Ident, Pat, PatType, ReturnType, Safety, Type};

/// The signature, read as a job's.
pub(crate) struct Shape {
    pub(crate) input: Option<Input>,
    /// What the worker gives the job beside its input.
    pub(crate) extracted: Vec<PatType>,
    pub(crate) returns: Option<Type>,
    /// False if no function of a job's kind can be made of the item (generic, a method).
    pub(crate) is_expandable: bool,
    /// Its input or output holds a reference, so neither can be stored.
    pub(crate) is_borrowed: bool,
}

pub(crate) struct Input {
    pub(crate) parameter: PatType,
    /// The type that is stored: never a reference.
    pub(crate) stored: Type,
    pub(crate) by_reference: bool,
    /// The name under which templates know the input.
    pub(crate) root: Ident,
}

pub(crate) fn signature(job: &JobFn, kind: Kind, errors: &mut Errors) -> Shape {
    let sig = &job.sig;
    let mut is_expandable = true;
    if sig.asyncness.is_none() {
        errors.at(
            sig.fn_token.span,
            "a `#[job]` is an `async fn`: its steps are awaited; write `async fn`",
        );
    }
    if let Some(word) = &sig.constness {
        errors.at(
            word.span,
            "a `#[job]` cannot be `const`: it runs later; remove `const`",
        );
    }
    if let Safety::Unsafe(word) = &sig.safety {
        errors.at(
            word.span,
            "a `#[job]` cannot be `unsafe`: the worker could not keep its promise; remove `unsafe`",
        );
    }
    if let Some(abi) = &sig.abi {
        errors.over(
            abi,
            "a `#[job]` cannot be `extern`: only the worker calls it; remove it",
        );
    }
    let takes_reference = matches!(sig.inputs.first(), Some(FnArg::Typed(first)) if matches!(*first.ty, Type::Reference(_)));
    let has_lifetimes_only = sig.generics.where_clause.is_none()
        && sig
            .generics
            .params
            .iter()
            .all(|parameter| matches!(parameter, GenericParam::Lifetime(_)));
    if takes_reference && has_lifetimes_only {
        // The lifetimes go with the reference, which is refused below.
        is_expandable &= sig.generics.params.is_empty();
    } else if !sig.generics.params.is_empty() || sig.generics.where_clause.is_some() {
        is_expandable = false;
        errors.over(
            &sig.generics,
            "a `#[job]` cannot be generic: it is stored under one name with one input type; name the types",
        );
    }
    let mut parameters = Vec::new();
    for parameter in &sig.inputs {
        match parameter {
            FnArg::Receiver(receiver) => {
                is_expandable = false;
                errors.over(
                    receiver,
                    "a `#[job]` is a free function, because it runs in another process than the one that had `self`; take what it needs as its input, or as `State<..>`",
                );
            }
            FnArg::Typed(parameter) => parameters.push(parameter.clone()),
        }
    }
    let mut parameters = parameters.into_iter();
    let input = parameters.next().map(|first| {
        for cfg in body::cfgs_of(&first.attrs) {
            errors.over(
                &cfg,
                "the input of a `#[job]` is always there, because stored jobs have one; put the `#[cfg]` on the whole job, or on a parameter after the input",
            );
        }
        is_expandable &= !refuse_extracted(&first.ty, errors);
        input(first, errors)
    });
    let returned = returns(job, errors);
    let stored = input.as_ref().map(|input| &input.stored);
    for ty in stored.into_iter().chain(&returned) {
        if let Type::ImplTrait(ty) = ty {
            is_expandable = false;
            errors.over(
                ty,
                "a `#[job]` stores values of types that have a name; write the type instead of `impl ..`",
            );
        }
    }
    if input.is_none() && is_expandable && kind == Kind::Task {
        errors.at(
            sig.paren_token.span.join(),
            "a `#[task]` takes its tick as the first parameter; write `tick: Tick`",
        );
    } else if input.is_none() && is_expandable {
        errors.at(
            sig.paren_token.span.join(),
            "a `#[job]` takes its input as the first parameter; write `input: ()` if there is nothing to say",
        );
    }
    Shape {
        input,
        extracted: parameters.collect(),
        returns: returned,
        is_expandable,
        is_borrowed: false,
    }
}

/// What the worker gives a job, where its input stands.
fn refuse_extracted(ty: &Type, errors: &mut Errors) -> bool {
    let Type::Path(path) = ty else { return false };
    let is_extracted = path.path.segments.last().is_some_and(|last| {
        (last.ident == "State" && !last.arguments.is_none()) || last.ident == "JobContext"
    });
    if is_extracted {
        errors.over(
            ty,
            "the first parameter of a `#[job]` is its input, and the worker gives this one; put it after the input, or write `_input: ()` before it if there is nothing to say",
        );
    }
    is_extracted
}

fn input(parameter: PatType, errors: &mut Errors) -> Input {
    let root = match &*parameter.pat {
        Pat::Ident(pat) => pat.ident.clone(),
        other => Ident::new("input", other.span()),
    };
    let (stored, by_reference) = match &*parameter.ty {
        Type::Reference(reference) => {
            errors.over(
                &parameter.ty,
                format!(
                    "a `#[job]` owns its input, which is read back from the store; {}",
                    borrowed::remedy(reference)
                ),
            );
            ((*reference.elem).clone(), true)
        }
        other => (other.clone(), false),
    };
    Input {
        parameter,
        stored,
        by_reference,
        root,
    }
}

fn returns(job: &JobFn, errors: &mut Errors) -> Option<Type> {
    match &job.sig.output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => {
            errors.at(
                job.sig.paren_token.span.close(),
                "a `#[job]` returns a `Result`, so that a failure is seen and tried again; add `-> Result<()>`",
            );
            None
        }
    }
}

/// The checks that need both the options and the signature.
pub(crate) fn agreement(args: &mut Args, job: &JobFn, shape: &Shape, errors: &mut Errors) {
    let name = match &args.name {
        Some(name) => name.value(),
        None => default_name(job),
    };
    options::refuse_own_name(&name, &args.was, errors);
    if args.name.is_none()
        && let Err(text) = names::check_plain("job name", &name)
    {
        let text = format!("{text}; give it one with `name = \"..\"`");
        errors.at(job.sig.ident.span(), text);
    }
    args.check_window(errors);
    if let Some(Idempotency::None) = &args.idempotency {
        refuse_without_key(args, errors);
    }
    let Some(input) = &shape.input else { return };
    if let Some(Idempotency::Template(template)) = &args.idempotency {
        let good = !refuse_constant(template, &input.root, errors)
            && check_roots(template, &input.root, errors);
        if !good {
            args.idempotency = Some(Idempotency::Refused);
        }
    }
    if let Some(template) = &args.tenant
        && !check_roots(template, &input.root, errors)
    {
        args.tenant = None;
    }
    if let Some(template) = args.limit.as_ref().and_then(|limit| limit.key.as_ref())
        && !check_roots(template, &input.root, errors)
    {
        args.limit = None;
    }
    if args.is_task()
        && let Some(limit) = &mut args.limit
        && let Some(key) = limit.key.take()
    {
        let text = "the ticks of a task are counted together; remove `key` from the limit";
        errors.at(key.literal.span(), text);
    }
}

/// Options that say something about a key, on a job that has none.
fn refuse_without_key(args: &Args, errors: &mut Errors) {
    let given = [
        (
            "on_conflict",
            args.on_conflict.as_ref().map(|(_, span)| *span),
        ),
        ("unique_for", args.unique_for.map(|(_, span)| span)),
        ("a window", args.window.as_ref().map(WindowArgs::span)),
    ];
    for (name, span) in given {
        if let Some(span) = span {
            errors.at(
                span,
                format!("`{name}` is about an idempotency key, and this job has none; give it a key, or remove `{name}`"),
            );
        }
    }
}

/// The durable name of a job that does not say its own.
pub(crate) fn default_name(job: &JobFn) -> String {
    use syn::ext::IdentExt;
    job.sig.ident.unraw().to_string()
}

fn refuse_constant(template: &Template, root: &Ident, errors: &mut Errors) -> bool {
    if template.is_constant() {
        errors.at(
            template.literal.span(),
            format!(
                "this key is the same for every input, so only one job could ever be live; add a placeholder, as in \"{0}:{{{root}.id}}\", or write `idempotency = |_| \"{0}\"` if one at a time is meant",
                template.literal.value()
            ),
        );
    }
    template.is_constant()
}

fn check_roots(template: &Template, root: &Ident, errors: &mut Errors) -> bool {
    let root = root.to_string();
    let mut good = true;
    for hole in &template.holes {
        let Some((first, fields)) = hole.path.split_first() else {
            continue;
        };
        if *first == root.trim_start_matches("r#") {
            continue;
        }
        good = false;
        // `{user_id}` most likely leaves out `input.`; `{inptu.user_id}` misspells it.
        let is_typo = suggest::closest(first, &[root.as_str()]).is_some() || !fields.is_empty();
        let rest = if is_typo { fields } else { &hole.path[..] };
        let meant: String = rest.iter().map(|field| format!(".{field}")).collect();
        errors.at(
            template.literal.span(),
            format!(
                "`{first}` is not known here: only the job's input is; did you mean `{{{root}{meant}}}`?"
            ),
        );
    }
    good
}
