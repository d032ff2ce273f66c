//! Where each attribute of the user's goes, now that one function has become several items.

use super::expand::Definition;
use syn::Attribute;

/// Where an attribute of the user's goes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Body,
    Function,
    /// The block around all that is hidden.
    Inside,
    Type,
}

impl Definition<'_> {
    pub(super) fn attrs(&self, place: Place) -> Vec<&Attribute> {
        attributes(&self.job.attrs, place)
    }
}

pub(crate) fn attributes(attrs: &[Attribute], place: Place) -> Vec<&Attribute> {
    let goes_there = |attr: &&Attribute| {
        let name = attr.path().get_ident().map(ToString::to_string);
        match name.as_deref() {
            Some("cfg" | "cfg_attr") => true,
            Some("allow" | "warn" | "deny" | "forbid") => place != Place::Body,
            // Given once, or the copies would go unfulfilled.
            Some("expect") => place == Place::Inside,
            Some("doc") => matches!(place, Place::Function | Place::Type),
            Some("deprecated" | "must_use") => place == Place::Function,
            _ => place == Place::Body,
        }
    };
    attrs.iter().filter(goes_there).collect()
}

/// Whether another macro has a word in the body's function: one that reads its parameters, as
/// `#[tracing::instrument]` does, must find those that the user wrote.
pub(crate) fn is_foreign(attrs: &[Attribute]) -> bool {
    attributes(attrs, Place::Body).into_iter().any(|attr| {
        let mut path = attr.path().segments.iter();
        let first = path.next().map(|segment| segment.ident.to_string());
        !matches!(
            first.as_deref(),
            Some("cfg" | "clippy" | "cold" | "inline" | "rustfmt")
        )
    })
}
