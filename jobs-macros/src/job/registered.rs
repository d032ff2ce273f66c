//! Writes what of a job is registered: its definition, as a static that the linker gathers, and
//! the claims on its names.

use super::args::Idempotency;
use super::expand::Definition;
use super::is_keyed;
use crate::body;
use crate::claim::{self, Kind};
use crate::place;
use crate::type_def::type_def;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

impl Definition<'_> {
    /// The static that is registered.
    pub(super) fn definition(&self) -> TokenStream {
        let (krate, name) = (&self.krate, &self.name);
        let was = &self.args.was;
        let options = self.options();
        let needs = self.shape.extracted.iter().map(|parameter| {
            let (cfgs, ty) = (body::cfgs_of(&parameter.attrs), &parameter.ty);
            let need = quote_spanned!(ty.span()=> <#ty as #krate::private::Extract>::need);
            quote!(#(#cfgs)* #need)
        });
        let steps = body::step_defs(krate, &self.marked.steps);
        let key = match &self.args.idempotency {
            Some(Idempotency::Template(template)) => Some(template.literal.value()),
            Some(Idempotency::Closure(closure)) => Some(written(closure)),
            Some(Idempotency::None | Idempotency::Refused) | None => None,
        };
        let tenant = self.args.tenant.as_ref().map(|it| it.literal.value());
        let (key, tenant) = (optional(key), optional(tenant));
        let (input, returned) = (self.input_type(), self.return_type());
        let input = type_def(krate, &input, input.span());
        let at_return = place::respan(krate.clone(), returned.span());
        let output =
            quote_spanned! {returned.span()=> <#returned as #at_return::private::JobReturn>::Ok };
        let output = type_def(krate, &output, returned.span());
        quote! {
            #krate::private::register! { JOBS_V0: JobDef = #krate::private::JobDef {
                name: #name,
                was: &[#(#was),*],
                krate: ::core::env!("CARGO_PKG_NAME"),
                version: ::core::env!("CARGO_PKG_VERSION"),
                file: ::core::file!(),
                line: ::core::line!(),
                options: #options,
                key: #key,
                tenant: #tenant,
                input: #input,
                output: #output,
                needs: &[#(#needs),*],
                steps: #steps,
                run: __job_run,
            } }
        }
    }

    fn options(&self) -> TokenStream {
        let (krate, args) = (&self.krate, self.args);
        let mut fields = Vec::new();
        if let Some(queue) = &args.queue {
            fields.push(quote!(queue: #queue));
        }
        if let Some(attempts) = args.attempts {
            fields.push(quote!(attempts: #attempts));
        }
        if let Some(length) = args.backoff {
            let value = body::backoff(krate, length);
            fields.push(quote!(backoff: #value));
        }
        let lengths = [
            ("timeout", args.timeout_millis),
            ("visibility_timeout", args.visibility_timeout_millis),
            ("step_timeout", args.step_timeout_millis),
            ("expires", args.expires_millis),
            ("unique_for", args.unique_for.map(|(millis, _)| millis)),
        ];
        for (name, millis) in lengths {
            let name = Ident::new(name, Span::call_site());
            if let Some(millis) = millis {
                let millis = body::millis(krate, millis);
                fields.push(quote!(#name: ::core::option::Option::Some(#millis)));
            }
        }
        if let Some(priority) = args.priority {
            fields.push(quote!(priority: #krate::private::Priority::new(#priority)));
        }
        if let Some((policy, _)) = &args.on_conflict {
            fields.push(quote!(on_conflict: #krate::private::OnConflict::#policy));
        }
        if let Some(job) = &args.on_cancel {
            let ident = &self.job.sig.ident;
            let at_job = place::respan(krate.clone(), job.span());
            fields.push(quote_spanned! {job.span()=>
                on_cancel: ::core::option::Option::Some(
                    #at_job::private::clean_up::<#ident, #job>
                )
            });
        }
        if let Some(limit) = &args.limit {
            let limit = limit.definition(krate);
            fields.push(quote!(limit: ::core::option::Option::Some(#limit)));
        }
        if let Some(window) = &args.window {
            let window = window.definition(krate);
            fields.push(quote!(window: ::core::option::Option::Some(#window)));
        }
        fields.extend(args.allowed.fields());
        if !args.removed.is_empty() {
            let removed = args.removed.iter().map(|step| &step.literal);
            fields.push(quote!(removed: &[#(#removed),*]));
        }
        if args.is_task() {
            let task = args.task.definition(krate);
            fields.push(quote!(task: ::core::option::Option::Some(#task)));
        }
        if args.outbox {
            fields.push(quote!(outbox: true));
        }
        let keyed = is_keyed(args);
        quote! {
            #krate::private::JobOptions {
                #(#fields,)*
                keyed: #keyed,
                ..#krate::private::JobOptions::DEFAULT
            }
        }
    }

    pub(super) fn claims(&self) -> (TokenStream, TokenStream) {
        let span = match &self.args.name {
            Some(name) => name.span(),
            None => self.job.sig.ident.span(),
        };
        let mut here = claim::in_crate(Kind::Job, &self.name, span);
        let mut between = claim::between_crates(&self.krate, Kind::Job, &self.name);
        for former in &self.args.was {
            let name = former.value();
            if name != self.name {
                here.extend(claim::in_crate(Kind::Job, &name, former.span()));
                between.extend(claim::between_crates(&self.krate, Kind::Job, &name));
            }
        }
        (here, between)
    }
}

/// A piece of source as text, however it was laid out.
fn written(source: &impl ToTokens) -> String {
    source.to_token_stream().to_string()
}

fn optional(text: Option<String>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}
