//! How generated code names the runtime: by its own name, or by an import of the path that
//! `crate = ..` gives. An import, because rustc says once of it that there is nothing; of a path it
//! says so at every use.

use crate::place;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

pub(crate) struct Runtime {
    /// What stands before `::private`.
    pub(crate) krate: TokenStream,
    /// Goes beside the item.
    pub(crate) import: TokenStream,
}

impl Runtime {
    /// `item` is what the import is for, so that no two have one name.
    pub(crate) fn named(path: Option<&Path>, item: &Ident) -> Self {
        let Some(path) = path else {
            return Runtime {
                krate: quote!(::jobs_runtime),
                import: TokenStream::new(),
            };
        };
        let span = place::theirs_at(path.span());
        let mut alias = format_ident!("__jobs_of_{}", item.unraw());
        alias.set_span(span);
        Runtime {
            import: quote_spanned! {span=>
                #[doc(hidden)]
                #[allow(unused_imports)]
                use #path as #alias;
            },
            krate: quote!(#alias),
        }
    }
}
