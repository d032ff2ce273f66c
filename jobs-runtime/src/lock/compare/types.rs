//! Types: whether the new program reads what the old one wrote. Field by field where both
//! versions have a schema; by name where one has none.

use super::{Compared, Subject};
use crate::lock::Field;

impl<'a> Compared<'a> {
    /// `role` is what the values are to the subject, `doing` what becomes of one that cannot be
    /// read.
    pub(super) fn types(
        &mut self,
        role: &str,
        subject: &Subject,
        (old, new): (&'a str, &'a str),
        doing: &str,
    ) {
        match (self.old.fields(old), self.new.fields(new)) {
            (Some(before), Some(after)) => {
                if self.types.insert((old, new)) {
                    self.fields(role, subject, before, after, doing);
                }
            }
            _ if old == new => {}
            _ => {
                let message = format!(
                    "has the {role} {new}, and had {old}; their fields are not known: if one cannot be read as the other, {doing}"
                );
                let remedy = format!(
                    "keep {old}, or derive `schemars::JsonSchema` for both, so that they can be compared"
                );
                self.risky(changed(role), subject, &message, &remedy);
            }
        }
    }

    fn fields(&mut self, role: &str, subject: &Subject, old: &[Field], new: &[Field], doing: &str) {
        for field in old {
            match find(new, field) {
                Some(now) => self.field(role, subject, field, now, doing),
                None if is_below_a_difference(field, old, new) => {}
                None => self.field_removed(role, subject, field, new, doing),
            }
        }
        for field in new {
            if find(old, field).is_none() && !is_below_a_difference(field, new, old) {
                self.field_added(role, subject, field, doing);
            }
        }
    }

    fn field(&mut self, role: &str, subject: &Subject, old: &Field, new: &Field, doing: &str) {
        let name = said(&old.path);
        if !old.needed && new.needed {
            let message =
                format!("needs {name} in its {role}, which could be left out before: {doing}");
            let remedy = format!("put `#[serde(default)]` on {name} again");
            self.risky("default_removed", subject, &message, &remedy);
        } else if old.needed && !new.needed {
            let message = format!("can do without {name} in its {role} now");
            self.safe("default_added", subject, &message);
        }
        if old.kind == new.kind {
            return;
        }
        if reads(&new.kind, &old.kind) {
            let message = format!("takes more in {name} of its {role}: {}", new.kind);
            self.safe("type_widened", subject, &message);
        } else {
            let message = format!(
                "has {} in {name} of its {role}, and had {}: {doing}",
                new.kind, old.kind
            );
            let remedy = format!(
                "keep the type of {name}, and put the new one beside it in a field with `#[serde(default)]`"
            );
            self.risky(changed(role), subject, &message, &remedy);
        }
    }

    fn field_added(&mut self, role: &str, subject: &Subject, field: &Field, doing: &str) {
        let name = said(&field.path);
        if field.kind == "variant" || !field.needed {
            let message = format!("may have {name} in its {role}");
            return self.safe("field_added", subject, &message);
        }
        let message = format!("needs {name} in its {role}, and stored values have none: {doing}");
        let remedy = format!("put `#[serde(default)]` on {name}, or make it an `Option`");
        self.risky("field_added", subject, &message, &remedy);
    }

    fn field_removed(
        &mut self,
        role: &str,
        subject: &Subject,
        field: &Field,
        new: &[Field],
        doing: &str,
    ) {
        let name = said(&field.path);
        let others_refused =
            parent(&field.path, new).is_some_and(|parent| parent.kind.ends_with(", no others"));
        if field.kind == "variant" {
            let message = format!("no longer reads {name} in its {role}: {doing}");
            let remedy = format!(
                "keep {name} until no stored value has it; `#[serde(alias)]` lets another variant read it"
            );
            self.risky("variant_removed", subject, &message, &remedy);
        } else if others_refused {
            let message =
                format!("refuses {name} in its {role}, which stored values have: {doing}");
            let remedy = "take `#[serde(deny_unknown_fields)]` away, or keep the field".to_owned();
            self.risky("field_removed", subject, &message, &remedy);
        } else {
            let message = format!("no longer reads {name} in its {role}");
            self.safe("field_removed", subject, &message);
        }
    }
}

fn changed(role: &str) -> &'static str {
    match role {
        "input" => "input_changed",
        "output" => "output_changed",
        _ => "payload_changed",
    }
}

/// A variant and what it holds share a path.
fn find<'f>(fields: &'f [Field], wanted: &Field) -> Option<&'f Field> {
    let is_variant = wanted.kind == "variant";
    fields
        .iter()
        .find(|field| field.path == wanted.path && (field.kind == "variant") == is_variant)
}

/// Whether what holds the field is missing in `others` too, and so tells it already.
fn is_below_a_difference(field: &Field, mine: &[Field], others: &[Field]) -> bool {
    if field.kind != "variant" {
        let of_variant = mine
            .iter()
            .any(|other| other.kind == "variant" && other.path == field.path);
        let variant_there = others
            .iter()
            .any(|other| other.kind == "variant" && other.path == field.path);
        if of_variant && !variant_there {
            return true;
        }
    }
    let mut path = field.path.as_str();
    while let Some(at) = path.rfind(['.', '[', '|']) {
        path = &path[..at];
        let there = |all: &[Field]| all.iter().any(|other| other.path == path);
        if !path.is_empty() && there(mine) && !there(others) {
            return true;
        }
    }
    false
}

fn parent<'f>(path: &str, fields: &'f [Field]) -> Option<&'f Field> {
    let above = path.rfind(['.', '[', '|']).map_or("", |at| &path[..at]);
    fields
        .iter()
        .find(|field| field.path == above && field.kind != "variant")
}

fn said(path: &str) -> String {
    match path {
        "" => "the whole value".to_owned(),
        path => format!("`{path}`"),
    }
}

/// Whether everything of the kind `old` can be read as `new`.
fn reads(new: &str, old: &str) -> bool {
    if new == "anything" || new.strip_suffix(" or null") == Some(old) {
        return true;
    }
    let unbound = |kind: &str| kind.strip_suffix(", no others").map(str::to_owned);
    if unbound(old).as_deref() == Some(new) || unbound(new).as_deref() == Some(old) {
        // What is no longer there is told field by field.
        return true;
    }
    match (bits(old), bits(new)) {
        (Some((true, old)), Some((true, new))) => new >= old,
        (Some((false, old)), Some((false, new))) => new >= old,
        (Some((false, old)), Some((true, new))) => new > old,
        (Some(_), None) => new.starts_with("number"),
        _ => false,
    }
}

/// Whether an integer has a sign, and how many bits it has.
fn bits(kind: &str) -> Option<(bool, u32)> {
    let format = kind.strip_prefix("integer ")?;
    match format.strip_prefix("uint") {
        Some("") => Some((false, 64)),
        Some(bits) => Some((false, bits.parse().ok()?)),
        None => match format.strip_prefix("int")? {
            "" => Some((true, 64)),
            bits => Some((true, bits.parse().ok()?)),
        },
    }
}
