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
