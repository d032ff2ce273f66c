//! Calls whose answer differs on a replay: clocks, random numbers, the environment. These are
//! warnings, because a value that no step and no branch depends on does no harm.

use crate::place;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, LitStr};

const CLOCKS: &[&str] = &[
    "Utc",
    "Local",
    "SystemTime",
    "Instant",
    "OffsetDateTime",
    "Timestamp",
    "Zoned",
];

/// Where the call is, and what to say of it.
pub(super) fn in_expression(expr: &Expr) -> Option<(Span, String)> {
    // The path alone, because `unwrap_or_else(SystemTime::now)` calls it as well.
    let Expr::Path(path) = expr else { return None };
    let mut segments = path.path.segments.iter().rev();
    let last = &segments.next()?.ident;
    let owner = segments.next()?.ident.to_string();
    let (owner, function) = (owner.as_str(), last.to_string());
    let remedy = match (owner, function.as_str()) {
        (owner, "now" | "now_utc") if CLOCKS.contains(&owner) => "use `job.now()`",
        ("Uuid", name) if name.starts_with("new_v4") || name.starts_with("now_v") => {
            "use `job.uuid()`"
        }
        ("rand" | "fastrand", _) | ("getrandom", "fill" | "u32" | "u64") => "use `job.random()`",
        ("env", "args" | "var" | "var_os" | "vars") => {
            let text = format!(
                "`env::{function}` may give another value on a replay; call it inside a step"
            );
            return Some((last.span(), text));
        }
        _ => return None,
    };
    let text = format!(
        "`{owner}::{function}` gives another value on a replay; {remedy} of the `JobContext`, or call it inside a step"
    );
    Some((last.span(), text))
}

/// An item that makes rustc print `text` as a warning at `span`: the use of something deprecated
/// is the only warning that a macro can give on stable.
pub(super) fn warning(span: Span, text: &str) -> TokenStream {
    let span = place::ours_at(span);
    let note = LitStr::new(text, span);
    quote_spanned! {span=>
        const _: () = {
            #[deprecated(note = #note)]
            #[allow(non_camel_case_types)]
            struct unstable_in_a_job;
            let _ = unstable_in_a_job;
        };
    }
}
