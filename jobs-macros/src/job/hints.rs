//! What a job's idempotency key could read, guessed from the code that can be seen: the macro
//! cannot look into the input's type, but the body names some of its fields.

use super::check::{Input, Shape};
use super::item::{Body, JobFn};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Pat, Type};

/// Types that are a key by themselves.
const PLAIN_TYPES: &[&str] = &[
    "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize", "String", "Uuid",
];

/// `idempotency = "welcome:{input.user_id}"`, as far as it can be guessed.
pub(crate) fn idempotency(name: &str, job: &JobFn, shape: &Shape) -> String {
    let hole = match &shape.input {
        None => "input.<field>".to_owned(),
        Some(input) => hole(input, job),
    };
    format!("idempotency = \"{name}:{{{hole}}}\"")
}

fn hole(input: &Input, job: &JobFn) -> String {
    let root = input.root.to_string();
    if is_plain(&input.stored) {
        return root;
    }
    let mut fields = pattern_fields(&input.parameter.pat);
    let body = match &job.body {
        Body::Parsed(block) => quote!(#block),
        Body::Tokens(tokens) => tokens.clone(),
    };
    collect_fields(body, &root, &mut fields);
    // What is called an id is the likelier key; otherwise the first that is seen.
    let best = fields
        .iter()
        .find(|field| *field == "id" || field.ends_with("_id"))
        .or(fields.first());
    match best {
        Some(field) => format!("{root}.{field}"),
        None => format!("{root}.<field>"),
    }
}

fn is_plain(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|segment| {
        segment.arguments.is_none() && PLAIN_TYPES.iter().any(|plain| segment.ident == plain)
    })
}

fn pattern_fields(pat: &Pat) -> Vec<String> {
    let Pat::Struct(pat) = pat else {
        return Vec::new();
    };
    pat.fields
        .iter()
        .map(|field| field.member.to_token_stream().to_string())
        .collect()
}

/// Every `root.field` that is not a call.
fn collect_fields(tokens: TokenStream, root: &str, fields: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, tree) in trees.iter().enumerate() {
        if let TokenTree::Group(group) = tree {
            collect_fields(group.stream(), root, fields);
        }
        let [
            TokenTree::Ident(first),
            TokenTree::Punct(dot),
            TokenTree::Ident(field),
        ] = &trees[i..trees.len().min(i + 3)]
        else {
            continue;
        };
        let is_call = matches!(trees.get(i + 3), Some(TokenTree::Group(_)));
        let is_field_of_another =
            i > 0 && matches!(&trees[i - 1], TokenTree::Punct(p) if p.as_char() == '.');
        if first == root
            && dot.as_char() == '.'
            && field != "await"
            && !is_call
            && !is_field_of_another
        {
            fields.push(field.to_string());
        }
    }
}
