//! Writes the body of a job as a function of its own, which is entered in one of two ways: to run,
//! or to describe its steps. How it is described is written in `body`.

use super::attributes::{Place, is_foreign};
use super::expand::Definition;
use crate::body;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// What a body works on, in the words of each place.
#[derive(Default)]
pub(super) struct Taken {
    /// Variables for what the body is entered with.
    pub(super) names: TokenStream,
    /// The same as arguments.
    pub(super) passed: TokenStream,
    pub(super) types: TokenStream,
    /// The user's patterns, bound to the variables.
    pub(super) bindings: TokenStream,
    /// The parameters as the user wrote them.
    pub(super) parameters: TokenStream,
}

impl Definition<'_> {
    /// The body under a name of its own, so that a job may enqueue itself by its own. Where another
    /// macro reads its parameters it is a function within the one that is entered, and its steps
    /// are tied to no tags.
    pub(super) fn body_fns(&self) -> TokenStream {
        let (krate, context) = (&self.krate, body::context());
        let attrs = self.attrs(Place::Body);
        let (returned, body) = (self.return_type(), self.body());
        let all = [self.input(), self.others()];
        let names: TokenStream = all.iter().map(|it| it.names.clone()).collect();
        let types: TokenStream = all.iter().map(|it| it.types.clone()).collect();
        let entry = Ident::new("__entry", Span::mixed_site());
        let entered =
            |body: &TokenStream| body::entered(krate, &entry, &quote!((#names)), body, self.marked);
        if !is_foreign(&self.job.attrs) {
            let bindings = all.iter().map(|it| &it.bindings);
            let body = entered(&quote!(#(#bindings)* #body));
            return quote! {
                #(#attrs)*
                async fn __job_entry(
                    #entry: #krate::private::Entered<'_, (#types)>,
                ) -> #returned {
                    #body
                }
            };
        }
        let passed = all.iter().map(|it| &it.passed);
        let outside = entered(&quote!(__job_body(#context, #(#passed)*).await));
        let parameters = all.iter().map(|it| &it.parameters);
        quote! {
            async fn __job_entry(
                #entry: #krate::private::Entered<'_, (#types)>,
            ) -> #returned {
                #outside
            }
            #(#attrs)*
            async fn __job_body(
                #context: #krate::private::JobCx<'_>,
                #(#parameters)*
            ) -> #returned {
                #body
            }
        }
    }

    fn input(&self) -> Taken {
        let Some(input) = &self.shape.input else {
            return Taken::default();
        };
        let (parameter, stored) = (&input.parameter, &input.stored);
        let name = Ident::new("__input", Span::mixed_site());
        let (passed, bindings) = match input.by_reference {
            true => {
                let (pat, ty) = (&parameter.pat, &parameter.ty);
                (quote!(&#name,), quote!(let #pat: #ty = &#name;))
            }
            false => (quote!(#name,), body::bound(parameter, name.clone())),
        };
        Taken {
            names: quote!(#name,),
            passed,
            types: quote!(#stored,),
            bindings,
            parameters: quote!(#parameter,),
        }
    }

    /// What the user wrote.
    fn body(&self) -> TokenStream {
        let body = &self.marked.tokens;
        match (&self.shape.returns, self.marked.has_value) {
            (None, false) => quote! {
                #body
                #[allow(unreachable_code)]
                {
                    ::core::unreachable!()
                }
            },
            _ => body.clone(),
        }
    }
}
