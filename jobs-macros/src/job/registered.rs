//! Writes what of a job is registered: its definition, as a static that the linker gathers, and
//! the claims on its names.

use super::expand::Definition;
use super::is_keyed;
use crate::body;
use crate::claim::{self, Kind};
use crate::place;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
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
        let ident = &self.job.sig.ident;
        quote! {
            #krate::private::register! { JOBS_V0: JobDef = #krate::private::JobDef {
                name: #name,
                was: &[#(#was),*],
                krate: ::core::env!("CARGO_PKG_NAME"),
                version: ::core::env!("CARGO_PKG_VERSION"),
                file: ::core::file!(),
                line: ::core::line!(),
                options: #options,
                input_type: #krate::private::input_type::<#ident>,
                output_type: #krate::private::output_type::<#ident>,
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
        fields.extend(args.allowed.fields());
        if !args.removed.is_empty() {
            let removed = args.removed.iter().map(|step| &step.literal);
            fields.push(quote!(removed: &[#(#removed),*]));
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
